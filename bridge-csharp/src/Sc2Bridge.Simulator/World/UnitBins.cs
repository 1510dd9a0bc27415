using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// The units by position. Each bin is a square of 8 by 8 cells with a linked list of units, so that a search for neighbours is fast.
/// </summary>
internal sealed class UnitBins
{
    private const int Shift = 15; // 8 cells of 4096
    private readonly int _columns;
    private readonly int _rows;
    private int[] _first;
    private int[] _owners;
    private int[] _next = [];
    private List<Unit> _units = [];

    /// <summary>Creates empty bins for a map.</summary>
    public UnitBins(GameMap map)
    {
        _columns = (map.Width >> 3) + 1;
        _rows = (map.Height >> 3) + 1;
        _first = new int[_columns * _rows];
        _owners = new int[_first.Length];
    }

    /// <summary>Sorts the units on the map into the bins. Called once a loop, so positions can be one loop old.</summary>
    public void Rebuild(List<Unit> units)
    {
        _units = units;
        if (_next.Length < units.Count)
        {
            _next = new int[units.Count * 2];
        }

        Array.Fill(_first, -1);
        Array.Clear(_owners);
        for (var i = units.Count - 1; i >= 0; i--)
        {
            var unit = units[i];
            if (unit.Alive && unit.Present)
            {
                var bin = (Row(unit.Y) * _columns) + Column(unit.X);
                _owners[bin] |= 1 << unit.Owner;
                ref var first = ref _first[bin];
                _next[i] = first;
                first = i;
            }
        }
    }

    /// <summary>A copy for the copies of the units.</summary>
    public UnitBins Copy(List<Unit> units)
    {
        var copy = (UnitBins)MemberwiseClone();
        (copy._first, copy._owners, copy._next, copy._units) = ([.. _first], [.. _owners], [.. _next], units);
        return copy;
    }

    /// <summary>Every living unit in a square around a point, and some that are a little farther away.</summary>
    /// <param name="x">The center.</param>
    /// <param name="y">The center.</param>
    /// <param name="reach">Half the square's side, in 1/4096 of a cell.</param>
    public Around Near(int x, int y, int reach) => new(this, x, y, reach);

    /// <summary>Whether units of other players may be in a square around a point. This check is very fast.</summary>
    /// <param name="x">The center.</param>
    /// <param name="y">The center.</param>
    /// <param name="reach">Half the square's side, in 1/4096 of a cell.</param>
    /// <param name="owner">The player whose own units are ignored. Neutral units are ignored too.</param>
    public bool AnyOther(int x, int y, int reach, int owner)
    {
        var others = 0;
        var (left, right) = (Column(x - reach), Column(x + reach));
        for (var row = Row(y - reach); row <= Row(y + reach); row++)
        {
            for (var column = left; column <= right; column++)
            {
                others |= _owners[(row * _columns) + column];
            }
        }

        return (others & ~((1 << owner) | (1 << GameWorld.Neutral))) != 0;
    }

    private int Column(int x) => Math.Clamp(x >> Shift, 0, _columns - 1);

    private int Row(int y) => Math.Clamp(y >> Shift, 0, _rows - 1);

    /// <summary>Enumerates the units around a point without allocating.</summary>
    internal ref struct Around
    {
        private readonly UnitBins _bins;
        private readonly int _left;
        private readonly int _right;
        private readonly int _top;
        private int _column;
        private int _row;
        private int _at;

        internal Around(UnitBins bins, int x, int y, int reach)
        {
            _bins = bins;
            (_left, _right) = (bins.Column(x - reach), bins.Column(x + reach));
            (_row, _top) = (bins.Row(y - reach), bins.Row(y + reach));
            _column = _left - 1;
            _at = -1;
        }

        public readonly Unit Current => _bins._units[_at];

        public readonly Around GetEnumerator() => this;

        public bool MoveNext()
        {
            _at = _at >= 0 ? _bins._next[_at] : -1;
            while (true)
            {
                while (_at >= 0 && !_bins._units[_at].Alive)
                {
                    _at = _bins._next[_at];
                }

                if (_at >= 0)
                {
                    return true;
                }

                if (++_column > _right)
                {
                    _column = _left;
                    if (++_row > _top)
                    {
                        return false;
                    }
                }

                _at = _bins._first[(_row * _bins._columns) + _column];
            }
        }
    }
}
