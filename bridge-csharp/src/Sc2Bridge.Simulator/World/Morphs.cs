using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Units become other types: larvae, siege tanks, lairs; buildings lift and land.</summary>
internal static class Morphs
{
    // What lifts is told by the ability's name.
    private const string Lift = "LiftOff";

    /// <summary>Carries out a morph or landing whose turn has come; true when it has begun, or cannot.</summary>
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
            Failures.Tell(world, unit, order, result);
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

        // All that it will use beyond what it uses now; what it will use less is freed when it is done.
        Supply.Hold(world, unit, Math.Max(0, food - unit.Type.HalfFood));
        unit.Way = null;
        unit.Engaged = null;
        return ActionResult.Success;
    }

    /// <summary>One loop of becoming.</summary>
    public static void Update(GameWorld world, Unit unit)
    {
        if (unit.Change is { } change && --change.Left <= 0)
        {
            Complete(world, unit, change);
        }
    }

    /// <summary>Takes a morph back: three quarters of what it cost come back.</summary>
    public static void Cancel(GameWorld world, Unit unit)
    {
        if (unit.Change is not { } change)
        {
            return;
        }

        unit.Change = null;
        Supply.Hold(world, unit, -unit.HeldFood);
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
            Failures.Tell(world, unit, change.Order, may);
            return;
        }

        if (change.Ability.Link.Contains(Lift, StringComparison.Ordinal))
        {
            AddOns.Leave(world, unit);
        }

        unit.Change = null;
        Supply.Hold(world, unit, -unit.HeldFood);
        Transport.Empty(world, unit, change.Into);
        world.Morph(unit, change.Into);
        if (change.Into.Footprint > 0)
        {
            Spots.Clear(world, unit);
        }

        if (lands)
        {
            AddOns.Find(world, unit);
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

    // On the way to the place of landing: true when it is there and may.
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
            Failures.Tell(world, unit, order, may);
            done = true;
            return false;
        }

        (unit.X, unit.Y) = (order.X, order.Y);
        return true;
    }
}
