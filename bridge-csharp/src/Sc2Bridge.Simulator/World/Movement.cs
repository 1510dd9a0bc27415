namespace Sc2Bridge.Simulator.World;

/// <summary>
/// Moves units: flying ones and those near their goal in a straight line, others along the ground's ways.
/// </summary>
/// <remarks>Collision is kept simple: units pass through each other and through buildings, never over cliffs.</remarks>
internal static class Movement
{
    private const int Straight = 120; // closer than twelve cells: no need to look for a way

    // Whole-number steps round towards zero: without it a unit would stop a hair short of its goal for ever.
    private const int Tolerance = 64;

    /// <summary>Moves a unit for one game loop.</summary>
    /// <param name="world">The world.</param>
    /// <param name="unit">The unit.</param>
    /// <param name="x">Where to.</param>
    /// <param name="y">Where to.</param>
    /// <param name="near">How near is near enough, in 1/4096 of a cell.</param>
    /// <returns>Whether it is there.</returns>
    public static bool Towards(GameWorld world, ref Unit unit, int x, int y, int near)
    {
        var facts = unit.Facts;
        var dx = x - unit.X;
        var dy = y - unit.Y;
        var distance = Geometry.Length(dx, dy);
        if (distance <= near + Tolerance)
        {
            return true;
        }

        var map = world.Map;
        if (!facts.Is(Kind.Flying))
        {
            var goal = map.NearestBase(x, y);
            var cell = map.CellAt(unit.X, unit.Y);
            var way = map.DistanceToBase(goal, cell);
            if (way > Straight && way != ushort.MaxValue && distance > 8 * Geometry.Cell)
            {
                var next = Downhill(map, goal, cell, way);
                dx = ((next % map.Width) * Geometry.Cell) + (Geometry.Cell / 2) - unit.X;
                dy = ((next / map.Width) * Geometry.Cell) + (Geometry.Cell / 2) - unit.Y;
                distance = Math.Max(1, Geometry.Length(dx, dy));
                near = 0;
            }
        }

        var stride = Math.Min(facts.Speed, Math.Max(1, distance - near));
        unit.Facing = Geometry.Direction(dx, dy);
        Go(map, ref unit, (int)((long)dx * stride / distance), (int)((long)dy * stride / distance),
            facts.Is(Kind.Flying));
        return false;
    }

    /// <summary>Moves a unit by a vector, along a cliff where it would cross one.</summary>
    private static void Go(GameMap map, ref Unit unit, int dx, int dy, bool flying)
    {
        var (limitX, limitY) = ((map.Width * Geometry.Cell) - 1, (map.Height * Geometry.Cell) - 1);
        var x = Math.Clamp(unit.X + dx, 0, limitX);
        var y = Math.Clamp(unit.Y + dy, 0, limitY);
        if (flying || map.Pathable[map.CellAt(x, y)] || !map.Pathable[map.CellAt(unit.X, unit.Y)])
        {
            (unit.X, unit.Y) = (x, y);
        }
        else if (map.Pathable[map.CellAt(x, unit.Y)])
        {
            unit.X = x;
        }
        else if (map.Pathable[map.CellAt(unit.X, y)])
        {
            unit.Y = y;
        }
    }

    private static int Downhill(GameMap map, int goal, int cell, int way)
    {
        var best = cell;
        var x = cell % map.Width;
        var y = cell / map.Width;
        for (var oy = Math.Max(0, y - 1); oy <= Math.Min(map.Height - 1, y + 1); oy++)
        {
            for (var ox = Math.Max(0, x - 1); ox <= Math.Min(map.Width - 1, x + 1); ox++)
            {
                var far = map.DistanceToBase(goal, (oy * map.Width) + ox);
                if (far < way)
                {
                    (best, way) = ((oy * map.Width) + ox, far);
                }
            }
        }

        return best;
    }
}
