using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// Where creep is: around each Zerg town hall and tumour, which grow it cell by cell. Without its source it dries up, a cell
/// narrower every two seconds.
/// </summary>
internal sealed class Creep
{
    private const int Steps = 4; // updates, of eight loops, until it is a cell narrower

    // By radius, in 1/1000.
    private static readonly int[] _cellsWithin =
    [
        .. Enumerable.Range(0, 1 + TechTree.Units.Max(type => type.Creep?.Radius ?? 0)).Select(radius =>
            1000 * Disc.HalfWidths(radius).Select((half, dy) => ((2 * half) + 1) * (dy == 0 ? 1 : 2)).Sum()),
    ];

    private readonly GameWorld _world;
    private readonly bool[] _cells;
    private readonly List<Source> _sources = [];
    private readonly HashSet<ulong> _known = [];

    /// <summary>None yet.</summary>
    public Creep(GameWorld world)
    {
        _world = world;
        _cells = new bool[world.Map.Width * world.Map.Height];
        Bits = new byte[(_cells.Length + 7) / 8];
    }

    /// <summary>A bit a cell, row by row from below, the first cell in the highest bit.</summary>
    public byte[] Bits { get; }

    /// <summary>Whether a place is on creep.</summary>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    public bool At(int x, int y) => _cells[_world.Map.CellAt(x, y)];

    /// <summary>Spreads, or dries up.</summary>
    public void Update()
    {
        var units = _world.Units;
        for (var i = 0; i < units.Count; i++)
        {
            var unit = units[i];
            if (unit.Type.Creep is { } growth && unit.Alive && unit.Finished && _known.Add(unit.Tag))
            {
                _sources.Add(new Source(unit, growth, _world.Loop == 0));
            }
        }

        var changed = false;
        foreach (var source in _sources)
        {
            changed |= source.Step();
        }

        if (changed || _world.Loop == 0)
        {
            Draw();
        }
    }

    private void Draw()
    {
        Array.Clear(_cells);
        foreach (var source in _sources)
        {
            Stamp(source.X / Geometry.Cell, source.Y / Geometry.Cell, source.Radius);
        }

        _sources.RemoveAll(source => source.Radius < 0 && _known.Remove(source.Unit.Tag));
        Array.Clear(Bits);
        for (var cell = 0; cell < _cells.Length; cell++)
        {
            if (_cells[cell])
            {
                Bits[cell >> 3] |= (byte)(0x80 >> (cell & 7));
            }
        }
    }

    private void Stamp(int cx, int cy, int radius)
    {
        var map = _world.Map;
        var halves = Disc.HalfWidths(Math.Max(0, radius));
        for (var dy = Math.Max(-radius, -cy); dy <= Math.Min(radius, map.Height - 1 - cy); dy++)
        {
            var from = Math.Max(0, cx - halves[Math.Abs(dy)]);
            var to = Math.Min(map.Width - 1, cx + halves[Math.Abs(dy)]);
            for (var cell = ((cy + dy) * map.Width) + from; cell <= ((cy + dy) * map.Width) + to; cell++)
            {
                _cells[cell] |= map.Pathable[cell];
            }
        }
    }

    private sealed class Source(Unit unit, CreepGrowth growth, bool whole)
    {
        private int _cells = whole ? _cellsWithin[growth.Radius] : growth.First;
        private int _left = Steps;

        public Unit Unit { get; } = unit;

        public int X { get; } = unit.X;

        public int Y { get; } = unit.Y;

        public int Radius { get; private set; } = -1;

        /// <summary>True when the radius is another one now.</summary>
        public bool Step()
        {
            var before = Radius;
            if (!Unit.Alive)
            {
                (Radius, _left) = --_left > 0 ? (Radius, _left) : (Radius - 1, Steps);
                return Radius != before;
            }

            _cells += growth.More;
            while (Radius < growth.Radius && _cells >= _cellsWithin[Radius + 1])
            {
                Radius++;
            }

            return Radius != before;
        }
    }
}
