using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Tech labs and reactors: built, left behind, found again.</summary>
internal static class AddOns
{
    /// <summary>Whether an add-on can be built at a building now; the price is not asked.</summary>
    public static ActionResult Check(GameWorld world, Unit building, Ability ability)
    {
        if (building.AddOn is not null || building.Queue.Count > 0)
        {
            return ActionResult.CantQueueThatOrder;
        }

        var (x, y) = Sites.AddOnAt(building.X, building.Y);
        return Sites.Check(world, building.Owner, TechTree.Unit(ability.Product), x, y);
    }

    /// <summary>Carries an add-on's order out: it begins in the first loop, and is done when the add-on is.</summary>
    public static bool Build(GameWorld world, Unit building, Order order)
    {
        if (order.Made is { } addOn)
        {
            return !addOn.Alive || addOn.Finished;
        }

        var failed = Begin(world, building, order);
        if (failed != ActionResult.Success)
        {
            Failures.Tell(world, building, order, failed);
        }

        return failed != ActionResult.Success;
    }

    /// <summary>Pays for an add-on and puts it up.</summary>
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

    /// <summary>A building that lifts leaves its add-on.</summary>
    public static void Leave(GameWorld world, Unit building)
    {
        if (building.AddOn is { } addOn)
        {
            building.AddOn = null;
            addOn.AddOn = null;
            world.Morph(addOn, TechTree.Unit(BareKindOf(addOn)));
        }
    }

    /// <summary>A building that has landed takes the add-on that stands there.</summary>
    public static void Find(GameWorld world, Unit building)
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

    // The type that the building's own ability would build.
    private static UnitType KindAt(UnitType building, int bare) => building.Abilities
        .Where(own => own.Ability.Makes == Makes.AddOn).Select(own => TechTree.Unit(own.Ability.Product))
        .First(addOn => addOn.CountsAs(bare));
}
