using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Units change their type: larvae, siege tanks, lairs. Buildings lift off and land.</summary>
internal static class Morphs
{
    // Abilities that lift a building off have this text in their link.
    private const string Lift = "LiftOff";

    /// <summary>Begins a morph or landing that has become the first order. Returns true when it has begun or has failed.</summary>
    public static bool Begin(GameWorld world, Unit unit, Order order)
    {
        if (order.Ability.Id == AbilityId.ArchonWarpTarget)
        {
            return Merging.Merge(world, unit, order);
        }

        if (AbilityKinds.Of(order.Ability) == AbilityKind.Land && !Approach(world, unit, order, out var done))
        {
            return done;
        }

        var result = Start(world, unit, order);
        if (result != ActionResult.Success)
        {
            Failures.Report(world, unit, order, result);
        }
        else if (order.Ability.Product == UnitId.LiberatorAG)
        {
            unit.Zone = (order.X, order.Y);
            var until = world.Loop + unit.Change!.Loops;
            world.Effects.Add(new Effect(EffectId.LiberatorDefenderZoneSetup, unit.Owner, order.X, order.Y, until, unit));
        }

        return true;
    }

    /// <summary>Pays for a morph and begins it.</summary>
    public static ActionResult Start(GameWorld world, Unit unit, Order order)
    {
        var ability = order.Ability;
        var player = world.PlayerOf(unit.Owner);
        var into = TechTree.Unit(ability.Product);
        var price = Prices.Of(ability, unit.Type);
        if (Payment.Check(player, price) is var may && may != ActionResult.Success)
        {
            return may;
        }

        unit.Zone = null;
        player.Pay(price.Minerals, price.Vespene);
        unit.Change = new Change(order, price, Prices.LoopsFor(player, price.Loops), unit.Type);
        var food = into.HalfFood * Prices.CountOf(unit.Type, into);
        if (unit.Type.Id == UnitId.Larva)
        {
            world.Morph(unit, TechTree.Unit(UnitId.Egg));
        }
        else if (price.Costs && into.Cocoon.Length > 0)
        {
            world.Morph(unit, TechTree.Unit(into.Cocoon));
        }

        // Reserves the additional supply at once. If the new type needs less, the difference is freed at the end of the morph.
        Supply.Reserve(world, unit, Math.Max(0, food - unit.Type.HalfFood));
        unit.Way = null;
        unit.Engaged = null;
        return ActionResult.Success;
    }

    /// <summary>Advances a morph by one loop.</summary>
    public static void Update(GameWorld world, Unit unit)
    {
        if (unit.Change is { } change && --change.Left <= 0)
        {
            Complete(world, unit, change);
        }
    }

    /// <summary>Cancels a morph. The player gets three quarters of its price back.</summary>
    public static void Cancel(GameWorld world, Unit unit)
    {
        if (unit.Change is not { } change)
        {
            return;
        }

        unit.Change = null;
        Supply.Reserve(world, unit, -unit.HeldFood);
        if (!ReferenceEquals(unit.Type, change.From))
        {
            world.Morph(unit, change.From);
        }

        world.PlayerOf(unit.Owner).Refund(change.Paid.Minerals * 3 / 4, change.Paid.Vespene * 3 / 4);
    }

    private static void Complete(GameWorld world, Unit unit, Change change)
    {
        var lands = AbilityKinds.Of(change.Ability) == AbilityKind.Land && change.Into.Footprint > 0;
        if (lands && Sites.CheckLanding(world, unit.Owner, change.Into, unit.X, unit.Y) is var may
            && may != ActionResult.Success)
        {
            unit.Change = null;
            Failures.Report(world, unit, change.Order, may);
            return;
        }

        if (change.Ability.Link.Contains(Lift, StringComparison.Ordinal))
        {
            AddOns.Detach(world, unit);
        }

        unit.Change = null;
        Supply.Reserve(world, unit, -unit.HeldFood);
        Transport.Empty(world, unit, change.Into);
        world.Morph(unit, change.Into);
        if (change.Into.Footprint > 0)
        {
            Spots.Clear(world, unit);
        }

        if (lands)
        {
            AddOns.Attach(world, unit);
        }

        if (change.From.Id == UnitId.Larva)
        {
            Hatch(world, unit, Prices.CountOf(change.From, change.Into));
        }
        else if (change.Paid.Minerals > 0 || change.Paid.Vespene > 0)
        {
            world.EventsOf(unit.Owner).Raise(Alert.MorphComplete);
        }
    }

    private static void Hatch(GameWorld world, Unit unit, int count)
    {
        var home = unit.Home;
        unit.Home = null;
        world.EventsOf(unit.Owner).Raise(unit.Type.Is(Kind.Worker) ? Alert.TrainWorkerComplete
            : Alert.TrainUnitComplete);
        Hatched(unit);
        for (var i = 1; i < count; i++)
        {
            Hatched(world.Add(unit.Type, unit.Owner, unit.X + (Geometry.Cell / 2), unit.Y));
        }

        unit.Rallies.Clear();

        void Hatched(Unit hatched)
        {
            if (hatched.Orders.Count == 0 && (unit.Rallies.Count > 0 ? unit : home) is { } from)
            {
                Rallying.Send(hatched, from);
            }
        }
    }

    // Goes to the point of the landing. Returns true when the unit is there and may land.
    private static bool Approach(GameWorld world, Unit unit, Order order, out bool done)
    {
        done = false;
        var into = TechTree.Unit(order.Ability.Product);
        if (into.Footprint == 0)
        {
            return Movement.Towards(world, unit, order.X, order.Y, (int)(order.Ability.CastRange * Geometry.Cell));
        }

        if (!Movement.Towards(world, unit, order.X, order.Y, Geometry.Cell / 8))
        {
            return false;
        }

        var may = Sites.CheckLanding(world, unit.Owner, into, order.X, order.Y);
        if (may != ActionResult.Success)
        {
            Failures.Report(world, unit, order, may);
            done = true;
            return false;
        }

        (unit.X, unit.Y) = (order.X, order.Y);
        return true;
    }
}
