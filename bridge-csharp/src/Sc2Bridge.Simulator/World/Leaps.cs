using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Spells that put units elsewhere.</summary>
internal static class Leaps
{
    /// <summary>A stalker or dark templar is there at once, up to eight cells away, where its player sees.</summary>
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

    /// <summary>A battlecruiser is anywhere, soon.</summary>
    public static bool Jump(GameWorld world, Unit unit, Order order, Spell spell)
    {
        Put(world, unit, order.X, order.Y);
        return true;
    }

    /// <summary>A nexus calls its player's units home from a place.</summary>
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

    /// <summary>A viper draws a unit to itself.</summary>
    public static bool Abduct(GameWorld world, Unit unit, Order order, Spell spell)
    {
        Put(world, order.Target!, unit.X, unit.Y);
        Orders.Clear(order.Target!);
        return true;
    }

    /// <summary>Puts a unit somewhere, or beside what stands there.</summary>
    public static void Put(GameWorld world, Unit unit, int x, int y)
    {
        (x, y) = world.Map.Inside(x, y);
        if (!unit.Flying && !world.Ground.WalkableAt(x, y))
        {
            // Who is on the ground comes down beside what stands there.
            (x, y) = world.Map.Middle(world.Ground.NearestWalkable(x, y));
        }

        (unit.X, unit.Y) = (x, y);
        unit.Way = null;
    }
}
