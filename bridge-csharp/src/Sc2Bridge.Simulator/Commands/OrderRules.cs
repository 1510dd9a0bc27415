using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>The game's answer to whether a unit may be given an order. Changes nothing.</summary>
internal static class OrderRules
{
    private const int MostOrders = 32;

    /// <summary>The result for one unit.</summary>
    /// <param name="world">The world.</param>
    /// <param name="player">The player that commands.</param>
    /// <param name="unit">The player's unit.</param>
    /// <param name="own">The unit's ability.</param>
    /// <param name="target">The target.</param>
    /// <param name="queued">Whether it comes after the unit's other orders.</param>
    public static ActionResult Check(
        GameWorld world, Player player, Unit unit, UnitAbility own, CommandTarget target, bool queued)
    {
        var ability = own.Ability;
        var kind = AbilityKinds.Of(ability);
        if (kind == AbilityKind.Cancel)
        {
            return Cancelling.Fits(unit, ability) ? ActionResult.Success : ActionResult.CantFindCancelOrder;
        }

        if (State(unit, kind, queued) is var state && state != ActionResult.Success)
        {
            return state;
        }

        if (Aim(player, ability, target) is var aim && aim != ActionResult.Success)
        {
            return aim;
        }

        if (!Requirements.Met(player, unit, own))
        {
            return kind == AbilityKind.Build
                ? ActionResult.BuildTechRequirementsNotMet
                : ActionResult.TechRequirementsNotMet;
        }

        return kind switch
        {
            AbilityKind.Move or AbilityKind.Patrol => unit.Type.Speed == 0 ? ActionResult.UnitCantMove
                : ActionResult.Success,
            AbilityKind.Attack => Attack(unit, target),
            AbilityKind.Gather => Gather(unit, target),
            AbilityKind.Return => unit.Load == World.Load.None ? ActionResult.NotSupported : ActionResult.Success,
            AbilityKind.Repair => Repair(unit, target),
            AbilityKind.Build => Build(world, player, unit, ability, target),
            AbilityKind.Morph when ability.Id == AbilityId.MorphArchon => ActionResult.Success,
            AbilityKind.Morph => Morph(player, unit, ability, queued),
            AbilityKind.Land => Placement.Query(world, player, ability, target.X, target.Y, unit),
            AbilityKind.Queue => Queue(player, unit, ability),
            AbilityKind.Warp => Warp(world, player, unit, ability, target),
            AbilityKind.AddOn => AddOn(world, player, unit, ability, target),
            AbilityKind.Load => Load(unit, target),
            AbilityKind.Unload => unit.Passengers.Count == 0 ? ActionResult.NoCargoToUnload : ActionResult.Success,
            AbilityKind.Cast => Cast(world, player, unit, ability, target),
            _ => ActionResult.Success,
        };
    }

    // Checks the unit's current state.
    private static ActionResult State(Unit unit, AbilityKind kind, bool queued)
    {
        if (!unit.Finished)
        {
            return kind == AbilityKind.Rally ? ActionResult.Success : ActionResult.BuildingIsUnderConstruction;
        }

        // A hallucination can move, but not act.
        if (unit.Hallucination && kind is not (AbilityKind.Stop or AbilityKind.Move or AbilityKind.Patrol
            or AbilityKind.HoldPosition or AbilityKind.Attack))
        {
            return ActionResult.NotSupported;
        }

        if (unit.Carrier is { } carrier && !carrier.Type.Is(Kind.Refinery))
        {
            return ActionResult.NotSupported;
        }

        if (unit.Change is not null && !queued && kind != AbilityKind.Rally)
        {
            return ActionResult.CantQueueThatOrder;
        }

        return queued && unit.Orders.Count >= MostOrders ? ActionResult.OrderQueueIsFull : ActionResult.Success;
    }

    private static ActionResult Aim(Player player, Ability ability, CommandTarget target)
    {
        if (target.Unit is { } unit && unit.Owner != player.Id && unit.Owner != GameWorld.Neutral
            && (unit.SeenBy & (1 << player.Id)) == 0 && !unit.Type.Is(Kind.Structure)
            && !player.Cheats.Contains(DebugGameState.ShowMap))
        {
            return ActionResult.MustTargetVisibleUnit;
        }

        return ability.Target switch
        {
            AbilityData.Types.Target.Unit when target.Unit is null => ActionResult.MustTargetUnit,
            AbilityData.Types.Target.Point or AbilityData.Types.Target.PointOrUnit when !target.Any =>
                ActionResult.MustTargetVisibleLocation,
            _ => ActionResult.Success,
        };
    }

    private static ActionResult Attack(Unit unit, CommandTarget target)
    {
        if (target.Unit is not { } other)
        {
            return ActionResult.Success;
        }

        return ReferenceEquals(other, unit) || other.Type.Is(Kind.Minerals | Kind.Geyser)
            ? ActionResult.CantTargetThatUnit
            : ActionResult.Success;
    }

    private static ActionResult Gather(Unit unit, CommandTarget target)
    {
        var field = target.Unit!;
        if (field.Type.Is(Kind.Geyser))
        {
            return ActionResult.MustBuildRefineryFirst;
        }

        if (!field.Type.Is(Kind.Minerals | Kind.Refinery))
        {
            return ActionResult.MustTargetResources;
        }

        return !Fields.MayMine(unit, field) ? ActionResult.CantHarvestThatResource
            : field is { Alive: true, Contents: 0 } ? ActionResult.CantTargetExhaustedResources
            : ActionResult.Success;
    }

    private static ActionResult Repair(Unit unit, CommandTarget target)
    {
        var other = target.Unit!;
        return !ReferenceEquals(other, unit) && other.Owner == unit.Owner
            && (!other.Finished || Repairs.Possible(other, unit.Owner))
            ? ActionResult.Success
            : ActionResult.RequiresRepairTarget;
    }

    private static ActionResult Build(GameWorld world, Player player, Unit unit, Ability ability, CommandTarget target)
    {
        var type = TechTree.Unit(ability.Product);
        if (Payment.Check(player, Prices.Of(ability, unit.Type)) is var may && may != ActionResult.Success)
        {
            return may;
        }

        if (!type.Is(Kind.Refinery))
        {
            return UnderWay(world, unit, ability, Sites.Snap(type, target.X, target.Y))
                ? ActionResult.CantBuildLocationInvalid
                : Placement.Query(world, player, ability, target.X, target.Y, unit);
        }

        return !target.Unit!.Type.Is(Kind.Geyser) ? ActionResult.CantBuildOnThat
            : Sites.IsOccupied(world, target.Unit) ? ActionResult.CantBuildLocationInvalid
            : ActionResult.Success;
    }

    // Whether another worker already goes to build the same there. Placement queries do not consider it. In python-sc2's
    // autotest_bot.py (test_botai_actions5), a worker gets this command every ten loops. One goes, and the others continue to mine.
    private static bool UnderWay(GameWorld world, Unit unit, Ability ability, (int X, int Y) place) =>
        world.Units.Any(other => other.Owner == unit.Owner && other != unit && other.Order is { Made: null } order
            && order.Ability == ability && (order.X, order.Y) == place);

    private static ActionResult Morph(Player player, Unit unit, Ability ability, bool queued)
    {
        if (TechTree.FindUnit(ability.Product) is null)
        {
            return ActionResult.NotSupported;
        }

        if (!queued && (unit.Queue.Count > 0 || IsBuilding(unit)))
        {
            return ActionResult.CantQueueThatOrder;
        }

        return Payment.Check(player, Prices.Of(ability, unit.Type));
    }

    private static ActionResult Queue(Player player, Unit unit, Ability ability)
    {
        if (unit.Type.Is(Kind.NeedsPower) && !unit.Powered)
        {
            return ActionResult.CantTrainTooFarFromTrainPowerSource;
        }

        if (IsBuilding(unit) || Requirements.HasUpgrade(player, ability))
        {
            return ActionResult.CantQueueThatOrder;
        }

        return unit.Queue.Count >= Production.Room(unit)
            ? ActionResult.QueueIsFull
            : Payment.Check(player, Prices.Of(ability, unit.Type));
    }

    private static ActionResult Warp(GameWorld world, Player player, Unit unit, Ability ability, CommandTarget target)
    {
        if (!unit.Powered)
        {
            return ActionResult.CantTrainTooFarFromTrainPowerSource;
        }

        if (unit.Cooldowns.GetValueOrDefault(ability.Id) > 0)
        {
            return ActionResult.Cooldown;
        }

        var may = Payment.Check(player, Prices.Of(ability, unit.Type));
        return may == ActionResult.Success ? Placement.Query(world, player, ability, target.X, target.Y, unit) : may;
    }

    private static ActionResult AddOn(GameWorld world, Player player, Unit unit, Ability ability, CommandTarget target)
    {
        if (unit.Queue.Count > 0 || IsBuilding(unit) || (unit.AddOn is not null && !MovesFirst(unit, target)))
        {
            return ActionResult.CantQueueThatOrder;
        }

        if (Payment.Check(player, Prices.Of(ability, unit.Type)) is var may && may != ActionResult.Success)
        {
            return may;
        }

        return unit.Flying && !target.Any ? ActionResult.MustTargetVisibleLocation
            : MovesFirst(unit, target) ? Placement.Query(world, player, ability, target.X, target.Y, unit)
            : AddOns.Check(world, unit, ability);
    }

    /// <summary>Whether a building flies to another position before it builds its add-on.</summary>
    public static bool MovesFirst(Unit unit, CommandTarget target) => target.Any
        && (unit.Flying || Math.Abs(target.X - unit.X) >= Geometry.Cell
            || Math.Abs(target.Y - unit.Y) >= Geometry.Cell);

    private static ActionResult Load(Unit unit, CommandTarget target) => target.Unit is not { } other
        ? ActionResult.Success
        : other.Owner != unit.Owner ? ActionResult.CantLoadOtherPlayersUnits
        : Transport.Fits(unit, other) || Transport.Fits(other, unit) ? ActionResult.Success
        : ActionResult.CantLoadThatUnit;

    private static ActionResult Cast(
        GameWorld world, Player player, Unit unit, Ability ability, CommandTarget target) =>
        !Casting.Knows(ability) ? ActionResult.NotSupported
        : unit.Energy < ability.Energy * 256 ? ActionResult.NotEnoughEnergy
        : unit.Cooldowns.GetValueOrDefault(ability.Id) > 0 ? ActionResult.Cooldown
        : ability.RemapsTo == AbilityId.BuildCreepTumor_3691 || ability.Id == AbilityId.EffectAutoTurret
            ? Placement.Query(world, player, ability, target.X, target.Y, unit)
        : ActionResult.Success;

    private static bool IsBuilding(Unit unit) =>
        unit.Type.Is(Kind.Structure) && unit.Order is { } order && AbilityKinds.Of(order.Ability) == AbilityKind.AddOn;
}
