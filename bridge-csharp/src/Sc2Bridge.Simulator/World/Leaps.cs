using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Spells that move units at once.</summary>
internal static class Leaps
{
    /// <summary>Moves a stalker or dark templar at once, up to eight cells, to a point that its player sees.</summary>
    public static bool Blink(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var (dx, dy) = (order.X - unit.X, order.Y - unit.Y);
        var distance = Geometry.Length(dx, dy);
        if (distance > spell.Reach)
        {
            (dx, dy) = ((int)((long)dx * spell.Reach / distance), (int)((long)dy * spell.Reach / distance));
        }

        var (x, y) = (unit.X + dx, unit.Y + dy);
        if (!world.Vision.Sees(unit.Owner, x, y))
        {
            return false;
        }

        Put(world, unit, x, y);
        return true;
    }

    /// <summary>Moves a battlecruiser to any point.</summary>
    public static bool Jump(GameWorld world, Unit unit, Order order, Spell spell)
    {
        Put(world, unit, order.X, order.Y);
        return true;
    }

    /// <summary>Moves the player's units from around a point to the nexus.</summary>
    public static bool Recall(GameWorld world, Unit unit, Order order, Spell spell)
    {
        foreach (var other in world.Bins.Near(order.X, order.Y, spell.Radius))
        {
            if (other.Owner == unit.Owner && other.Type.Speed > 0 && !other.Type.Is(Kind.Structure)
                && Geometry.Length(other.X - order.X, other.Y - order.Y) <= spell.Radius)
            {
                var (dx, dy) = (other.X - order.X, other.Y - order.Y);
                Put(world, other, unit.X + dx, unit.Y + dy - (4 * Geometry.Cell));
                Orders.Clear(other);
            }
        }

        return true;
    }

    /// <summary>Pulls a unit to the viper.</summary>
    public static bool Abduct(GameWorld world, Unit unit, Order order, Spell spell)
    {
        Put(world, order.Target!, unit.X, unit.Y);
        Orders.Clear(order.Target!);
        return true;
    }

    /// <summary>Moves a unit to a point, or to the nearest free point.</summary>
    public static void Put(GameWorld world, Unit unit, int x, int y)
    {
        (x, y) = world.Map.Inside(x, y);
        if (!unit.Flying && !world.Ground.WalkableAt(x, y))
        {
            // A unit on the ground needs a walkable cell.
            (x, y) = world.Map.Middle(world.Ground.NearestWalkable(x, y));
        }

        (unit.X, unit.Y) = (x, y);
        unit.Way = null;
    }
}
