namespace Sc2Bridge.Simulator.World;

/// <summary>
/// Where creep is: a disc around each Zerg town hall and tumour that grows by a cell every two seconds.
/// </summary>
internal sealed class Creep
{
    /// <summary>The unit type of a creep tumour.</summary>
    public const int TumorId = 137;

    private const int HallRadius = 12;
    private const int TumorRadius = 10;
    private readonly GameWorld _world;
    private readonly bool[] _cells;
    private readonly Dictionary<ulong, int> _grown = [];

    internal Creep(GameWorld world)
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

    internal void Update()
    {
        Array.Clear(_cells);
        for (var slot = 0; slot < _world.SlotCount; slot++)
        {
            ref var unit = ref _world.Units[slot];
            if (!unit.Alive || !unit.Finished)
            {
                continue;
            }

            var id = unit.Facts.Id;
            var limit = id == 86 ? HallRadius : id == TumorId ? TumorRadius : 0;
            if (limit == 0)
            {
                continue;
            }

            // Starts with creep at loop 0; spreads by a cell every 32 loops elsewhere.
            var tag = _world.TagOf(slot);
            var first = _world.Loop == 0 ? limit * 2 : 1;
            var grown = _grown.TryGetValue(tag, out var halves) ? Math.Min(halves + 1, limit * 2) : first;
            _grown[tag] = grown;
            Stamp(unit.X / Geometry.Cell, unit.Y / Geometry.Cell, grown / 2);
        }

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
        var halves = Disc.HalfWidths(radius);
        var width = _world.Map.Width;
        for (var dy = Math.Max(-radius, -cy); dy <= Math.Min(radius, _world.Map.Height - 1 - cy); dy++)
        {
            var from = Math.Max(0, cx - halves[Math.Abs(dy)]);
            var to = Math.Min(width - 1, cx + halves[Math.Abs(dy)]);
            for (var cell = ((cy + dy) * width) + from; cell <= ((cy + dy) * width) + to; cell++)
            {
                _cells[cell] |= _world.Map.Pathable[cell];
            }
        }
    }
}
