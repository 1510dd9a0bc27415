using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Moves units: flying units straight, others along routes around obstacles.</summary>
internal static class Movement
{
    /// <summary>A unit has arrived if its distance exceeds the reach by no more than this.</summary>
    /// <remarks>Integer steps round towards zero. Without the tolerance, a unit could stop just before its goal for ever.</remarks>
    public const int Tolerance = 64;

    // Loops without progress after which a unit looks for a new route, and after which it counts as stuck.
    private const int Patience = 48;
    private const int StuckAfter = 24;

    /// <summary>Moves for one loop. Returns true when the unit's center is within <paramref name="reach"/> of the point.</summary>
    /// <remarks>If the point cannot be reached, the unit goes as near as it can: see <see cref="IsStuck"/>.</remarks>
    public static bool Towards(GameWorld world, Unit unit, int x, int y, int reach)
    {
        var distance = Geometry.Length(x - unit.X, y - unit.Y);
        if (distance <= reach + Tolerance)
        {
            unit.Way = null;
            return true;
        }

        var speed = SpeedOf(world, unit);
        if (speed == 0)
        {
            return false;
        }

        if (unit.Flying)
        {
            Step(world, unit, x, y, distance, Math.Min(speed, distance - reach));
        }
        else
        {
            Walk(world, unit, WayTo(world, unit, x, y, reach, distance), (x, y), reach, speed);
        }

        return false;
    }

    /// <summary>Moves for one loop. Returns true when the two edges are within <paramref name="range"/>.</summary>
    public static bool Towards(GameWorld world, Unit unit, Unit target, int range) =>
        Towards(world, unit, target.X, target.Y, range + unit.Type.Radius + target.Type.Radius);

    /// <summary>Whether a unit cannot come nearer to its goal, because no route leads there or too many units block it.</summary>
    public static bool IsStuck(GameWorld world, Unit unit) =>
        unit.Way is { } way && (way is { Arrives: false, Count: 0 } || world.Loop - way.Progress > StuckAfter);

    /// <summary>The distance that a unit moves in a loop, with upgrades, creep and buffs.</summary>
    public static int SpeedOf(GameWorld world, Unit unit)
    {
        if (unit.Type.Speed == 0)
        {
            return 0;
        }

        var speed = Upgrades.Speed(world.PlayerOf(unit.Owner), unit.Type, world.Creep.At(unit.X, unit.Y));
        return unit.Buffs.Count == 0 ? speed : speed * Buffs.SpeedPercent(unit) / 100;
    }

    /// <summary>Shifts a unit by a vector. If an obstacle is in the way, the unit slides along it.</summary>
    /// <returns>Whether it moved at all.</returns>
    public static bool Shift(GameWorld world, Unit unit, int dx, int dy)
    {
        var (x, y) = world.Map.Inside(unit.X + dx, unit.Y + dy);
        var ground = world.Ground;
        if (unit.Flying || ground.WalkableAt(x, y) || !ground.WalkableAt(unit.X, unit.Y))
        {
            (unit.X, unit.Y) = (x, y);
            return true;
        }

        if (dx != 0 && ground.WalkableAt(x, unit.Y))
        {
            unit.X = x;
            return true;
        }

        if (dy != 0 && ground.WalkableAt(unit.X, y))
        {
            unit.Y = y;
            return true;
        }

        return false;
    }

    private static bool Step(GameWorld world, Unit unit, int x, int y, int distance, int stride)
    {
        var (dx, dy) = (x - unit.X, y - unit.Y);
        unit.Facing = Geometry.Direction(dx, dy);
        return distance <= stride
            ? Shift(world, unit, dx, dy)
            : Shift(world, unit, (int)((long)dx * stride / distance), (int)((long)dy * stride / distance));
    }

    private static void Walk(GameWorld world, Unit unit, Way way, (int X, int Y) goal, int reach, int speed)
    {
        while (way.Count > 0 && speed > 0)
        {
            var (x, y) = way.Next;
            var distance = Geometry.Length(x - unit.X, y - unit.Y);
            if (distance <= Tolerance || MayCut(world, unit, way, distance))
            {
                way.Pass();
                (way.Nearest, way.Progress) = (int.MaxValue, world.Loop);
                continue;
            }

            if (way.Nearest - distance >= Geometry.Cell / 8)
            {
                (way.Nearest, way.Progress) = (distance, world.Loop);
            }

            var last = x == way.GoalX && y == way.GoalY;
            var stride = Math.Min(speed, last ? Math.Max(1, distance - reach) : distance);
            if (way.Count == 1 && !last && IntoReach(unit, goal, reach, (x, y), distance, stride) is { } part)
            {
                (last, stride) = (true, part);
            }

            if (!Step(world, unit, x, y, distance, stride))
            {
                // Something blocks the route: find a new one soon.
                unit.Way = world.Loop - way.Made >= 8 ? null : way;
                return;
            }

            speed = last ? 0 : speed - stride;
        }
    }

    // The part of a stride that brings a unit into reach of its goal; null if the whole stride does not.
    private static int? IntoReach(
        Unit unit, (int X, int Y) goal, int reach, (int X, int Y) to, int distance, int stride)
    {
        if (!Reaches(stride))
        {
            return null;
        }

        var (tooShort, enough) = (0, stride);
        while (enough - tooShort > 1)
        {
            var middle = (tooShort + enough) / 2;
            (tooShort, enough) = Reaches(middle) ? (tooShort, middle) : (middle, enough);
        }

        return enough;

        bool Reaches(int length) => Geometry.Length(
            goal.X - unit.X - (int)((long)(to.X - unit.X) * length / distance),
            goal.Y - unit.Y - (int)((long)(to.Y - unit.Y) * length / distance)) <= reach;
    }

    // Near a corner, a unit turns as soon as the straight line is clear. So units in a group do not all meet at the corner.
    private static bool MayCut(GameWorld world, Unit unit, Way way, int distance) =>
        way.Count > 1 && distance < 3 * Geometry.Cell / 2
        && world.Ground.Clear(unit.X, unit.Y, way.AfterNext.X, way.AfterNext.Y);

    private static Way WayTo(GameWorld world, Unit unit, int x, int y, int reach, int distance)
    {
        var old = unit.Way;
        var same = old is not null && old.GoalX == x && old.GoalY == y;
        if (old is not null && (same || Follows(world, unit, old, x, y, distance)) && StillGood(world, unit, old))
        {
            return old;
        }

        var way = world.Ground.Ways.Find(unit.X, unit.Y, x, y, reach, world.Loop);
        if (same && old!.Count > 0)
        {
            way.Progress = old.Progress;
        }

        unit.Way = way;
        return way;
    }

    /// <summary>Whether a route still leads to a goal that has moved.</summary>
    private static bool Follows(GameWorld world, Unit unit, Way way, int x, int y, int distance)
    {
        var moved = Math.Max(Math.Abs(x - way.GoalX), Math.Abs(y - way.GoalY));
        if (way.Count == 1 && way.Next == (way.GoalX, way.GoalY) && moved < 2 * Geometry.Cell)
        {
            if (!world.Ground.WalkableAt(x, y) || (unit.IsDue(world.Loop) && !world.Ground.Clear(unit.X, unit.Y, x, y)))
            {
                return false;
            }

            way.Bend(x, y);
            return true;
        }

        return way.Count > 0 && moved < Math.Max(Geometry.Cell / 2, distance / 4);
    }

    private static bool StillGood(GameWorld world, Unit unit, Way way)
    {
        if (way.Count == 0)
        {
            // The route is used up. If it led to the goal, the unit was pushed away. If not, it may have become possible since.
            return !way.Arrives && world.Loop - way.Made < Patience;
        }

        if (world.Loop - Math.Max(way.Progress, way.Made) > Patience)
        {
            return false;
        }

        if (way.Version != world.Ground.Version)
        {
            way.Version = world.Ground.Version;
            return way.IsClear(world.Ground, unit.X, unit.Y);
        }

        return true;
    }
}
