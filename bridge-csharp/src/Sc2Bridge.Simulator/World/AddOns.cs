using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Builds tech labs and reactors. A building that lifts off leaves its add-on, and one that lands next to an add-on takes it.</summary>
internal static class AddOns
{
    /// <summary>Whether an add-on can be built at a building now, without regard to its price.</summary>
    public static ActionResult Check(GameWorld world, Unit building, Ability ability)
    {
        if (building.AddOn is not null || building.Queue.Count > 0)
        {
            return ActionResult.CantQueueThatOrder;
        }

        var (x, y) = Sites.AddOnAt(building.X, building.Y);
        return Sites.Check(world, building.Owner, TechTree.Unit(ability.Product), x, y);
    }

    /// <summary>Carries out a loop of the order. It begins the add-on in its first loop, and is done when the add-on is.</summary>
    public static bool Build(GameWorld world, Unit building, Order order)
    {
        if (order.Made is { } addOn)
        {
            return !addOn.Alive || addOn.Finished;
        }

        var failed = Begin(world, building, order);
        if (failed != ActionResult.Success)
        {
            Failures.Report(world, building, order, failed);
        }

        return failed != ActionResult.Success;
    }

    /// <summary>Pays for an add-on and begins it.</summary>
    public static ActionResult Begin(GameWorld world, Unit building, Order order)
    {
        var player = world.PlayerOf(building.Owner);
        var price = Prices.Of(order.Ability, building.Type);
        var may = Payment.Check(player, price);
        may = may == ActionResult.Success ? Check(world, building, order.Ability) : may;
        if (may != ActionResult.Success)
        {
            return may;
        }

        player.Pay(price.Minerals, price.Vespene);
        var (x, y) = Sites.AddOnAt(building.X, building.Y);
        var addOn = world.Add(
            TechTree.Unit(order.Ability.Product), building.Owner, x, y, Prices.LoopsFor(player, price.Loops));
        (addOn.AddOn, building.AddOn) = (building, addOn);
        order.Made = addOn;
        Spots.Clear(world, addOn);
        return ActionResult.Success;
    }

    /// <summary>Detaches the add-on from a building that lifts off.</summary>
    public static void Detach(GameWorld world, Unit building)
    {
        if (building.AddOn is { } addOn)
        {
            building.AddOn = null;
            addOn.AddOn = null;
            world.Morph(addOn, TechTree.Unit(BareKindOf(addOn)));
        }
    }

    /// <summary>Attaches the add-on next to a building that has landed.</summary>
    public static void Attach(GameWorld world, Unit building)
    {
        if (!building.Type.Is(Kind.TakesAddOn))
        {
            return;
        }

        var (x, y) = Sites.AddOnAt(building.X, building.Y);
        foreach (var unit in world.Bins.Near(x, y, Geometry.Cell))
        {
            if (unit.Type.Is(Kind.AddOn) && unit.Owner == building.Owner && unit.AddOn is null && unit.X == x
                && unit.Y == y)
            {
                (unit.AddOn, building.AddOn) = (building, unit);
                world.Morph(unit, KindAt(building.Type, BareKindOf(unit)));
                return;
            }
        }
    }

    private static int BareKindOf(Unit addOn) =>
        addOn.Type.CountsAs(UnitId.TechLab) ? UnitId.TechLab : UnitId.Reactor;

    // The add-on type that the building itself would build.
    private static UnitType KindAt(UnitType building, int bare) => building.Abilities
        .Where(own => own.Ability.Makes == Makes.AddOn).Select(own => TechTree.Unit(own.Ability.Product))
        .First(addOn => addOn.CountsAs(bare));
}
