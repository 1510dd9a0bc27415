namespace Sc2Bridge.Simulator.World;

/// <summary>The living units by place: squares of 8 by 8 cells, each a chain of slots.</summary>
internal sealed class UnitBins
{
    private const int Shift = 15; // 8 cells of 4096
    private readonly GameWorld _world;
    private readonly int _columns;
    private readonly int _rows;
    private readonly int[] _first;
    private int[] _next = [];

    internal UnitBins(GameWorld world)
    {
        _world = world;
        _columns = (world.Map.Width >> 3) + 1;
        _rows = (world.Map.Height >> 3) + 1;
        _first = new int[_columns * _rows];
    }

    /// <summary>Sorts the units anew.</summary>
    public void Rebuild()
    {
        if (_next.Length < _world.Units.Length)
        {
            _next = new int[_world.Units.Length];
        }

        Array.Fill(_first, -1);
        for (var slot = _world.SlotCount - 1; slot >= 0; slot--)
        {
            ref var unit = ref _world.Units[slot];
            if (unit.Alive && unit.Owner != GameWorld.NeutralOwner)
            {
                ref var first = ref _first[((unit.Y >> Shift) * _columns) + (unit.X >> Shift)];
                _next[slot] = first;
                first = slot;
            }
        }
    }

    /// <summary>Every enemy on the ground around a place.</summary>
    /// <param name="owner">Whose enemies.</param>
    /// <param name="x">The place.</param>
    /// <param name="y">The place.</param>
    /// <param name="radius">In 1/4096 of a cell.</param>
    /// <param name="found">Takes their slots.</param>
    public void Near(int owner, int x, int y, int radius, List<int> found)
    {
        found.Clear();
        for (var row = Math.Max(0, (y - radius) >> Shift); row <= Math.Min(_rows - 1, (y + radius) >> Shift); row++)
        {
            for (var c = Math.Max(0, (x - radius) >> Shift); c <= Math.Min(_columns - 1, (x + radius) >> Shift); c++)
            {
                for (var other = _first[(row * _columns) + c]; other >= 0; other = _next[other])
                {
                    ref var unit = ref _world.Units[other];
                    if (unit.Alive && unit.Owner != owner && unit.Owner != GameWorld.NeutralOwner
                        && !unit.Facts.Is(Kind.Flying)
                        && Geometry.Length(unit.X - x, unit.Y - y) <= radius + unit.Facts.Radius)
                    {
                        found.Add(other);
                    }
                }
            }
        }
    }

    /// <summary>The nearest enemy that a unit can hit, buildings only where nothing else is near.</summary>
    /// <param name="slot">Who looks.</param>
    /// <param name="range">How far, in 1/4096 of a cell.</param>
    /// <returns>Its slot, or -1.</returns>
    public int NearestEnemy(int slot, int range)
    {
        ref var me = ref _world.Units[slot];
        var facts = me.Facts;
        var best = -1;
        var bestDistance = long.MaxValue;
        for (var row = Math.Max(0, (me.Y - range) >> Shift); row <= Math.Min(_rows - 1, (me.Y + range) >> Shift); row++)
        {
            var right = Math.Min(_columns - 1, (me.X + range) >> Shift);
            for (var c = Math.Max(0, (me.X - range) >> Shift); c <= right; c++)
            {
                for (var other = _first[(row * _columns) + c]; other >= 0; other = _next[other])
                {
                    ref var unit = ref _world.Units[other];
                    if (unit.Owner == me.Owner || !unit.Alive)
                    {
                        continue;
                    }

                    var theirs = unit.Facts;
                    if ((theirs.Is(Kind.Flying) ? facts.AirWeapon : facts.GroundWeapon) is null)
                    {
                        continue;
                    }

                    long dx = unit.X - me.X;
                    long dy = unit.Y - me.Y;
                    var distance = (dx * dx) + (dy * dy);
                    if (distance > (long)range * range)
                    {
                        continue;
                    }

                    // What cannot shoot back counts as four cells (buildings: eight) farther away.
                    distance += theirs.Weapons.Length > 0 ? 0 : theirs.Is(Kind.Structure) ? 1L << 30 : 1L << 28;
                    if (distance < bestDistance)
                    {
                        (best, bestDistance) = (other, distance);
                    }
                }
            }
        }

        return best;
    }
}
