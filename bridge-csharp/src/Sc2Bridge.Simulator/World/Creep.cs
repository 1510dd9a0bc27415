using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// Where creep is: around each Zerg town hall and tumour, a cell wider every two seconds; it dries up as slowly.
/// </summary>
internal sealed class Creep
{
    private const int Steps = 4; // updates, of eight loops, until it is a cell wider

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
            if (unit.Type.Creep > 0 && unit.Alive && unit.Finished && _known.Add(unit.Tag))
            {
                _sources.Add(new Source(unit) { Grown = _world.Loop == 0 ? unit.Type.Creep * Steps : 1 });
            }
        }

        var changed = false;
        foreach (var source in _sources)
        {
            changed |= source.Step(source.Unit.Type.Creep);
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
            Stamp(source.X / Geometry.Cell, source.Y / Geometry.Cell, source.Grown / Steps);
        }

        _sources.RemoveAll(source => source.Grown <= 0 && _known.Remove(source.Unit.Tag));
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

    private sealed class Source(Unit unit)
    {
        public Unit Unit { get; } = unit;

        public int X { get; } = unit.X;

        public int Y { get; } = unit.Y;

        public required int Grown { get; set; }

        /// <summary>True when the radius in whole cells is another one now.</summary>
        public bool Step(int radius)
        {
            var before = Grown / Steps;
            Grown = Unit.Alive ? Math.Min(Grown + 1, radius * Steps) : Grown - 1;
            return Grown / Steps != before || Grown <= 0;
        }
    }
}
