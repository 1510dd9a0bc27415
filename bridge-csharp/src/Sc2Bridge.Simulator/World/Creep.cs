using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// The cells with creep. Each Zerg town hall and tumour spreads creep cell by cell. Without its source, the creep's radius
/// shrinks by one cell every two seconds.
/// </summary>
internal sealed class Creep : Copyable
{
    private const int Steps = 4; // updates, of eight loops each, for one cell of the radius

    // The number of cells in a disc of each radius, times 1000.
    private static readonly int[] _cellsWithin =
    [
        .. Enumerable.Range(0, 1 + TechTree.Units.Max(type => type.Creep?.Radius ?? 0)).Select(radius =>
            1000 * Disc.HalfWidths(radius).Select((half, dy) => ((2 * half) + 1) * (dy == 0 ? 1 : 2)).Sum()),
    ];

    private GameWorld _world;
    private List<Source> _sources = [];
    private HashSet<ulong> _known = [];

    /// <summary>Creates a map without creep.</summary>
    public Creep(GameWorld world)
    {
        _world = world;
        Bits = new byte[((world.Map.Width * world.Map.Height) + 7) / 8];
    }

    /// <summary>One bit for each cell, row by row from the bottom. The first cell is the highest bit.</summary>
    public byte[] Bits { get; private set; }

    /// <summary>Whether a point is on creep.</summary>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    public bool At(int x, int y) => _world.Map.CellAt(x, y) is var cell && (Bits[cell >> 3] & (0x80 >> (cell & 7))) != 0;

    /// <summary>Spreads or shrinks the creep.</summary>
    public void Update()
    {
        foreach (var unit in _world.Units)
        {
            if (unit.Type.Creep is { } growth && unit.Alive && unit.Finished && _known.Add(unit.Tag))
            {
                _sources.Add(new Source(unit, growth, _world.Loop == 0));
            }
        }

        var (changed, dries) = (false, false);
        foreach (var source in _sources)
        {
            var before = source.Radius;
            source.Step();
            changed |= source.Radius != before;
            dries |= source.Radius < before;
            if (source.Radius > before)
            {
                Stamp(source);
            }
        }

        if (dries)
        {
            Array.Clear(Bits);
            _sources.ForEach(Stamp);
        }

        if (changed)
        {
            _sources.RemoveAll(source => source.Radius < 0 && _known.Remove(source.Unit.Tag));
        }
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (_world, _known, Bits) = (copies.Of(_world), [.. _known], [.. Bits]);
        _sources = _sources.ConvertAll(copies.Of);
    }

    private void Stamp(Source source)
    {
        var (map, radius, cx, cy) = (_world.Map, source.Radius, source.X / Geometry.Cell, source.Y / Geometry.Cell);
        var halves = Disc.HalfWidths(Math.Max(0, radius));
        for (var dy = Math.Max(-radius, -cy); dy <= Math.Min(radius, map.Height - 1 - cy); dy++)
        {
            var from = Math.Max(0, cx - halves[Math.Abs(dy)]);
            var to = Math.Min(map.Width - 1, cx + halves[Math.Abs(dy)]);
            for (var cell = ((cy + dy) * map.Width) + from; cell <= ((cy + dy) * map.Width) + to; cell++)
            {
                Bits[cell >> 3] |= (byte)(map.Pathable[cell] ? 0x80 >> (cell & 7) : 0);
            }
        }
    }

    private sealed class Source(Unit unit, CreepGrowth growth, bool whole) : Copyable
    {
        private int _cells = whole ? _cellsWithin[growth.Radius] : growth.First;
        private int _left = Steps;

        public Unit Unit { get; private set; } = unit;

        public int X { get; } = unit.X;

        public int Y { get; } = unit.Y;

        public int Radius { get; private set; } = -1;

        /// <summary>Grows or shrinks by one update.</summary>
        public void Step()
        {
            if (!Unit.Alive)
            {
                (Radius, _left) = --_left > 0 ? (Radius, _left) : (Radius - 1, Steps);
                return;
            }

            _cells += growth.More;
            while (Radius < growth.Radius && _cells >= _cellsWithin[Radius + 1])
            {
                Radius++;
            }
        }

        /// <inheritdoc/>
        public override void Separate(WorldCopy copies) => Unit = copies.UnitOf(Unit);
    }
}
