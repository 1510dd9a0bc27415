using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Carries out what players ask of their units.</summary>
/// <remarks>
/// As the game does it: a request is answered with what <see cref="Check"/> says at that moment, each of its commands
/// for itself, and is carried out before the next loop, in order; one that cannot be by then (the first took the
/// minerals) is dropped without a word. So Check changes nothing, and Command checks again.
/// A command with a price that is given to several units is carried out by one of them, as with a selection.
/// </remarks>
internal static class Commander
{
    /// <summary>What the game would answer to a command now; changes nothing.</summary>
    public static ActionResult Check(GameWorld world, Player player, ActionRawUnitCommand command) =>
        Run(world, player, command, give: false);

    /// <summary>Gives the orders, where they still can be given.</summary>
    /// <param name="world">The world.</param>
    /// <param name="player">Who commands.</param>
    /// <param name="command">What.</param>
    /// <param name="takers">Takes who carries it out, and by which ability of its own; null where nobody asks.</param>
    public static ActionResult Command(
        GameWorld world, Player player, ActionRawUnitCommand command, List<(Unit Unit, Ability Own)>? takers = null) =>
        Run(world, player, command, give: true, takers);

    /// <summary>Gives one unit of a player's an order: what computers call.</summary>
    /// <param name="world">The world.</param>
    /// <param name="player">Whose unit it is.</param>
    /// <param name="unit">The unit.</param>
    /// <param name="ability">Any that the unit has, or a general one that stands for it.</param>
    /// <param name="target">What it is aimed at.</param>
    /// <param name="queued">Whether it is for after the unit's other orders.</param>
    public static ActionResult Order(
        GameWorld world, Player player, Unit unit, Ability ability, CommandTarget target = default, bool queued = false)
    {
        var result = CheckOne(world, player, unit, ability, target, queued, out var own);
        if (result == ActionResult.Success)
        {
            OrderGiving.Give(world, unit, own, target, queued);
        }

        return result;
    }

    /// <summary>What the game would answer to a switch now; changes nothing.</summary>
    public static ActionResult CheckAutocast(GameWorld world, Player player, ActionRawToggleAutocast toggle) =>
        Switch(world, player, toggle, turn: false);

    /// <summary>Switches autocast.</summary>
    public static ActionResult ToggleAutocast(GameWorld world, Player player, ActionRawToggleAutocast toggle) =>
        Switch(world, player, toggle, turn: true);

    private static ActionResult Run(
        GameWorld world,
        Player player,
        ActionRawUnitCommand command,
        bool give,
        List<(Unit Unit, Ability Own)>? takers = null)
    {
        if (TechTree.FindAbility(command.AbilityId) is not { } ability)
        {
            return ActionResult.NotSupported;
        }

        if (CommandTarget.Read(world, player, command) is not { } target)
        {
            return ActionResult.Error;
        }

        var failed = ActionResult.Error;
        var able = new List<(Unit Unit, Ability Own)>();
        foreach (var tag in command.UnitTags.Distinct())
        {
            var result = Find(world, player, tag, out var unit);
            Ability? own = null;
            result = unit is null ? result
                : CheckOne(world, player, unit, ability, target, command.QueueCommand, out own);
            if (result == ActionResult.Success)
            {
                able.Add((unit!, own!));
            }
            else
            {
                failed = failed == ActionResult.Error ? result : failed;
            }
        }

        if (able.Count == 0)
        {
            return failed;
        }

        takers?.AddRange(able);
        return ability.Id == AbilityId.MorphArchon
            ? Archons.Warp([.. able.Select(a => a.Unit)], command.QueueCommand, give)
            : give ? Give(world, player, able, target, command.QueueCommand, takers)
            : ActionResult.Success;
    }

    private static ActionResult Give(
        GameWorld world,
        Player player,
        List<(Unit Unit, Ability Own)> able,
        CommandTarget target,
        bool queued,
        List<(Unit Unit, Ability Own)>? takers)
    {
        if (Prices.Of(able[0].Own, able[0].Unit.Type) is { Costs: true }
            || AbilityKinds.Of(able[0].Own) == AbilityKind.Build)
        {
            var (unit, own) = Best(able, target);
            OrderGiving.Give(world, unit, own, target, queued);
            takers?.RemoveAll(taker => taker.Unit != unit);
            return ActionResult.Success;
        }

        foreach (var (unit, own) in able)
        {
            // Those before may have changed what holds for this one.
            var again = new UnitAbility(own, []);
            if (unit.Alive && OrderRules.Check(world, player, unit, again, target, queued) == ActionResult.Success)
            {
                OrderGiving.Give(world, unit, own, target, queued);
            }
            else
            {
                takers?.Remove((unit, own));
            }
        }

        return ActionResult.Success;
    }

    // With the shortest queue, or nearest to the site; the first of equals.
    private static (Unit Unit, Ability Own) Best(List<(Unit Unit, Ability Own)> able, CommandTarget target) =>
        able.MinBy(a => target.Any && !a.Unit.Type.Is(Kind.Structure)
            ? Geometry.Length(a.Unit.X - target.X, a.Unit.Y - target.Y)
            : a.Unit.Queue.Count * 8 / Production.Room(a.Unit));

    private static ActionResult CheckOne(
        GameWorld world, Player player, Unit unit, Ability ability, CommandTarget target, bool queued, out Ability own)
    {
        var found = ability.Id == AbilityId.Smart ? SmartClick.Resolve(unit, target)
            : UnitAbilities.Resolve(player, unit, ability);
        own = found?.Ability ?? ability;
        return found is null ? ActionResult.NotSupported
            : OrderRules.Check(world, player, unit, found.Value, target, queued);
    }

    private static ActionResult Find(GameWorld world, Player player, ulong tag, out Unit? unit)
    {
        unit = world.Find(tag);
        if (unit is not null && unit.Owner != player.Id
            && (unit.Owner == GameWorld.Neutral || !player.Cheats.Contains(DebugGameState.ControlEnemy)))
        {
            unit = null;
            return ActionResult.YouCantControlThatUnit;
        }

        return unit is null ? ActionResult.Error : ActionResult.Success;
    }

    private static ActionResult Switch(GameWorld world, Player player, ActionRawToggleAutocast toggle, bool turn)
    {
        if (TechTree.FindAbility(toggle.AbilityId) is not { } ability)
        {
            return ActionResult.NotSupported;
        }

        var result = ActionResult.Error;
        foreach (var tag in toggle.UnitTags.Distinct())
        {
            var found = Find(world, player, tag, out var unit);
            if (unit is null || UnitAbilities.Resolve(player, unit, ability) is not { Ability.Autocast: true } own)
            {
                result = result == ActionResult.Error ? unit is null ? found : ActionResult.NotSupported : result;
                continue;
            }

            result = ActionResult.Success;
            if (turn && !unit.Autocast.Remove(own.Ability.Id))
            {
                unit.Autocast.Add(own.Ability.Id);
            }
        }

        return result;
    }
}
