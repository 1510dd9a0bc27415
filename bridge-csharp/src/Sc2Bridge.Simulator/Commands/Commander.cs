using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Carries out players' commands to their units.</summary>
/// <remarks>
/// As in the game, the response to a request has the results of <see cref="Check"/> at that moment, one for each command.
/// The commands are carried out before the next loop, in order. A command that has become impossible by then, for example because
/// an earlier one spent the minerals, is dropped silently. So Check changes nothing, and Command checks again.
/// If a command with a price is given to several selected units, one of them carries it out.
/// </remarks>
internal static class Commander
{
    /// <summary>The game's answer to a command now. Changes nothing.</summary>
    public static ActionResult Check(GameWorld world, Player player, ActionRawUnitCommand command) =>
        Run(world, player, command, give: false);

    /// <summary>Gives the orders that are still possible.</summary>
    /// <param name="world">The world.</param>
    /// <param name="player">The player that commands.</param>
    /// <param name="command">The command.</param>
    /// <param name="takers">Filled with the units that carry it out, each with its own ability. May be null.</param>
    public static ActionResult Command(
        GameWorld world, Player player, ActionRawUnitCommand command, List<(Unit Unit, Ability Own)>? takers = null) =>
        Run(world, player, command, give: true, takers);

    /// <summary>Gives an order to one unit of a player. Computers call it.</summary>
    /// <param name="world">The world.</param>
    /// <param name="player">The unit's owner.</param>
    /// <param name="unit">The unit.</param>
    /// <param name="ability">An ability of the unit, or a general one that stands for it.</param>
    /// <param name="target">The target.</param>
    /// <param name="queued">Whether it comes after the unit's other orders.</param>
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

    /// <summary>The game's answer to a command that toggles autocast now. Changes nothing.</summary>
    public static ActionResult CheckAutocast(GameWorld world, Player player, ActionRawToggleAutocast toggle) =>
        Switch(world, player, toggle, turn: false);

    /// <summary>Toggles autocast.</summary>
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
        foreach (var tag in command.UnitTags.Count > 1 ? command.UnitTags.Distinct() : command.UnitTags)
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
            // The units before may have changed whether this one can carry it out.
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

    // The unit with the shortest queue, or nearest to the site. Of equal units, the first.
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
