using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Move, patrol, hold and attack orders. Each method returns whether the order is done.</summary>
internal static class Marching
{
    private const int There = Geometry.Cell / 8;

    // Many units that were sent to one point stop around it if they cannot come nearer.
    private const int CrowdReach = 8 * Geometry.Cell;

    /// <summary>Goes to a point, or follows a unit.</summary>
    public static bool Move(GameWorld world, Unit unit, Order order)
    {
        unit.Engaged = null;
        if (unit.Type.Speed == 0)
        {
            return true;
        }

        if (order.Target is not { } target)
        {
            return Arrive(world, unit, order.X, order.Y);
        }

        if (!target.Alive || !target.Present || !Combat.Sees(unit.Owner, target) || target == unit)
        {
            return true;
        }

        return Movement.Towards(world, unit, target, There)
            ? target.Type.Speed == 0
            : GivesUp(world, unit, target.X, target.Y);
    }

    /// <summary>Goes back and forth between a point and the start, and fights enemies on the way.</summary>
    public static bool Patrol(GameWorld world, Unit unit, Order order)
    {
        if (unit.Type.Speed == 0)
        {
            return true;
        }

        if (order.Phase == 0)
        {
            (order.From, order.Phase) = ((unit.X, unit.Y), 1);
        }

        if (Arms.Armed(unit.Type) && Combat.Fight(world, unit, mayChase: true))
        {
            return false;
        }

        var to = order.Target is { } target ? (target.X, target.Y) : (order.X, order.Y);
        var (x, y) = order.Phase == 2 ? order.From : to;
        if (Arrive(world, unit, x, y))
        {
            order.Phase = 3 - order.Phase;
            unit.Way = null;
        }

        return false;
    }

    /// <summary>Stays in place and fights enemies in range.</summary>
    public static bool Hold(GameWorld world, Unit unit)
    {
        if (Arms.Armed(unit.Type))
        {
            Combat.Fight(world, unit, mayChase: false);
        }

        return false;
    }

    /// <summary>Fights a unit, or fights enemies on the way to a point.</summary>
    public static bool Attack(GameWorld world, Unit unit, Order order)
    {
        if (order.Target is { } target)
        {
            // The unit looks for a building at its last known position.
            if (target.Alive && target.Type.Speed == 0 && !Combat.Sees(unit.Owner, target) && unit.Type.Speed > 0)
            {
                return Arrive(world, unit, target.X, target.Y);
            }

            if (!Combat.CanFight(unit, target))
            {
                unit.Engaged = null;
                return true;
            }

            Combat.Pursue(world, unit, target);
            return unit.Type.Speed == 0 && !Combat.InRange(world, unit, target);
        }

        if (unit.Type.Heals is not null && Healing.Idle(world, unit))
        {
            return false;
        }

        if (Arms.Armed(unit.Type) && Combat.Fight(world, unit, mayChase: true))
        {
            return false;
        }

        return unit.Type.Speed == 0 || Arrive(world, unit, order.X, order.Y);
    }

    /// <summary>Goes to the position of a dead unit that the owner still remembers.</summary>
    public static bool LookFor(GameWorld world, Unit unit, Unit gone) =>
        unit.Type.Speed == 0 || Arrive(world, unit, gone.X, gone.Y);

    /// <summary>Goes on to a point. Returns true when the unit is exactly there, or cannot come nearer.</summary>
    /// <remarks>
    /// The order ends in the loop of the arrival, because other units may push the unit away at the end of the loop.
    /// </remarks>
    private static bool Arrive(GameWorld world, Unit unit, int x, int y)
    {
        if (Movement.Towards(world, unit, x, y, 0))
        {
            Movement.Shift(world, unit, x - unit.X, y - unit.Y);
            return true;
        }

        return (unit.X, unit.Y) == (x, y) || GivesUp(world, unit, x, y);
    }

    private static bool GivesUp(GameWorld world, Unit unit, int x, int y) => Movement.IsStuck(world, unit)
        && (unit.Way is { Arrives: false, Count: 0 } || Geometry.Length(x - unit.X, y - unit.Y) < CrowdReach);
}
