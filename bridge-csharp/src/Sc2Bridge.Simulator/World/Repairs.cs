using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Terran workers repair buildings and machines. Repairing the whole life costs a quarter of the unit's price.</summary>
internal static class Repairs
{
    // How far a worker with autocast looks for damaged units. This value is ours: the game's texts do not have it.
    private const int SearchRange = 8 * Geometry.Cell;

    /// <summary>Whether a unit can be repaired by a player's workers.</summary>
    public static bool Possible(Unit unit, int owner) =>
        unit.Alive && unit.Owner == owner && unit.Finished && unit.Type.Race == Race.Terran
            && unit.Health < unit.MostHealth
        && (unit.Type.Is(Kind.Structure) || unit.Type.Is(SC2APIProtocol.Attribute.Mechanical));

    /// <summary>An idle worker with autocast of repair goes to a damaged unit near it, as long as the player has minerals.</summary>
    public static void Idle(GameWorld world, Unit unit)
    {
        if (!unit.IsDue(world.Loop) || world.PlayerOf(unit.Owner).Minerals == 0
            || AbilityKinds.Find(unit.Type, AbilityKind.Repair) is not { } ability
            || !unit.Autocast.Contains(ability.Id))
        {
            return;
        }

        if (Fields.Nearest(world, unit.X, unit.Y, SearchRange, u => u != unit && u.Present && Possible(u, unit.Owner))
            is { } hurt)
        {
            unit.Orders.Add(new Order(ability) { Target = hurt });
        }
    }

    /// <summary>One loop of an order to repair. Returns true when it is done.</summary>
    public static bool Repair(GameWorld world, Unit unit, Order order)
    {
        if (order.Target is not { Alive: true } target || ReferenceEquals(target, unit))
        {
            return true;
        }

        if (!Possible(target, unit.Owner))
        {
            return true;
        }

        if (!Movement.Towards(world, unit, target, Geometry.Cell / 4))
        {
            return false;
        }

        // Left counts the life that this order has restored so far.
        var whole = target.MostHealth;
        var loops = Math.Max(1, target.Type.BuildLoops);
        var heal = Math.Min(Math.Max(1, whole / loops), whole - target.Health);
        var player = world.PlayerOf(unit.Owner);
        var minerals = Part(target.Type.Minerals, order.Left, heal, whole);
        var vespene = Part(target.Type.Vespene, order.Left, heal, whole);
        if (!player.CanPay(minerals, vespene))
        {
            Failures.Report(world, unit, order, ActionResult.NotEnoughMinerals);
            return true;
        }

        player.Pay(minerals, vespene);
        target.Health += heal;
        order.Left += heal;
        player.Score.HealedLife += heal;
        return target.Health >= whole;
    }

    // The price of a little more life. Over the whole repair, the rounded parts add up to the exact price.
    private static int Part(int cost, int healed, int more, int whole) =>
        (int)(((long)cost * (healed + more) / whole / 4) - ((long)cost * healed / whole / 4));
}
