using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Players' actions: orders, autocast, camera, chat and selection.</summary>
/// <remarks>
/// As in the game, each action of a request is checked at once, and is carried out before the next loop. An action that
/// has become impossible by then is neither carried out nor reported. The next observation reports the actions that were
/// carried out.
/// </remarks>
internal static class PlayerActions
{
    /// <summary>The game's answer to an action. Changes nothing.</summary>
    public static ActionResult Check(GameWorld world, Player player, SC2APIProtocol.Action action)
    {
        if (player.Result is not null)
        {
            // The game's answer to a player that has lost.
            return ActionResult.YouCantControlThatUnit;
        }

        if (action.ActionChat is not null)
        {
            return ActionResult.Success;
        }

        if (action.ActionRaw is null)
        {
            return action.ActionFeatureLayer is { } mouse ? ScreenActions.Check(world, player, mouse)
                : action.ActionUi is { } panel ? PanelActions.Check(world, player, panel)
                : ActionResult.Error;
        }

        return action.ActionRaw.ActionCase switch
        {
            ActionRaw.ActionOneofCase.UnitCommand => IsPlace(action.ActionRaw.UnitCommand.TargetWorldSpacePos)
                ? Commander.Check(world, player, action.ActionRaw.UnitCommand)
                : ActionResult.Error,
            ActionRaw.ActionOneofCase.ToggleAutocast =>
                Commander.CheckAutocast(world, player, action.ActionRaw.ToggleAutocast),
            ActionRaw.ActionOneofCase.CameraMove =>
                action.ActionRaw.CameraMove.CenterWorldSpace is { } at && float.IsFinite(at.X) && float.IsFinite(at.Y)
                    ? ActionResult.Success
                    : ActionResult.Error,
            _ => ActionResult.Error,
        };
    }

    /// <summary>Carries out an action for which <see cref="Check"/> returned <see cref="ActionResult.Success"/>.</summary>
    public static void Do(GameWorld world, Player player, SC2APIProtocol.Action action)
    {
        if (Check(world, player, action) is var result and not ActionResult.Success)
        {
            if (action.ActionFeatureLayer?.UnitCommand is { } late)
            {
                world.EventsOf(player.Id).Errors.Add(
                    new ActionError { AbilityId = (ulong)late.AbilityId, Result = result });
            }

            return;
        }

        if (action.ActionChat is { } chat)
        {
            Say(world, player, chat);
            return;
        }

        switch (action.ActionRaw?.ActionCase)
        {
            case null when action.ActionFeatureLayer?.UnitCommand is { } command:
                var raw = new ActionRaw { UnitCommand = ScreenActions.CommandOf(world, player, command) };
                Command(world, player, new SC2APIProtocol.Action(action) { ActionRaw = raw });
                return;
            case null when action.ActionFeatureLayer is { } mouse:
                ScreenActions.Do(world, player, mouse);
                break;
            case null:
                PanelActions.Do(world, player, action.ActionUi);
                break;
            case ActionRaw.ActionOneofCase.UnitCommand:
                Command(world, player, action);
                return;
            case ActionRaw.ActionOneofCase.ToggleAutocast:
                Commander.ToggleAutocast(world, player, action.ActionRaw.ToggleAutocast);
                break;
            default:
                var centre = action.ActionRaw.CameraMove.CenterWorldSpace;
                player.Camera = PlaceOf(world, centre.X, centre.Y);
                break;
        }

        Report(world, player, ScreenActions.WithMouse(world, player, action.Clone()));
    }

    /// <summary>Whether an action applies to the selected units.</summary>
    public static bool IsToSelected(SC2APIProtocol.Action action) =>
        action.ActionFeatureLayer?.UnitCommand is not null || Changes(action, selection: false);

    /// <summary>Whether an action may change the selection.</summary>
    public static bool Selects(SC2APIProtocol.Action action) => Changes(action, selection: true);

    /// <summary>Converts a point in cells to the world's coordinates, limited to the map.</summary>
    public static (int X, int Y) PlaceOf(GameWorld world, float x, float y) =>
        (Scaled(x, world.Map.Width), Scaled(y, world.Map.Height));

    // The game rounds coordinates down to 1/4096.
    private static int Scaled(float cells, int most) =>
        (int)Math.Floor(Math.Clamp((double)cells, 0, most - (1.0 / Geometry.Cell)) * Geometry.Cell);

    // Reports the command as it was carried out: with the units that accepted it, and with their ability instead of a general one.
    private static void Command(GameWorld world, Player player, SC2APIProtocol.Action action)
    {
        if (!world.KeepsActions)
        {
            Commander.Command(world, player, action.ActionRaw.UnitCommand);
            return;
        }

        var takers = new List<(World.Unit Unit, Ability Own)>();
        Commander.Command(world, player, action.ActionRaw.UnitCommand, takers);
        foreach (var group in takers.GroupBy(taker => taker.Own.Id))
        {
            var done = action.Clone();
            var command = done.ActionRaw.UnitCommand;
            command.AbilityId = group.Key;
            command.UnitTags.Clear();
            command.UnitTags.AddRange(group.Select(taker => taker.Unit.Tag));
            Report(world, player, ScreenActions.WithMouse(world, player, done));
        }
    }

    private static void Report(GameWorld world, Player player, SC2APIProtocol.Action done)
    {
        if (!world.KeepsActions)
        {
            return;
        }

        done.GameLoop = (uint)world.Loop;
        world.EventsOf(player.Id).Actions.Add(done);
        world.EventsOf(0).Actions.Add(done);
    }

    private static bool Changes(SC2APIProtocol.Action action, bool selection) => action.ActionUi?.ActionCase switch
    {
        null => selection && action.ActionFeatureLayer is { UnitCommand: null, CameraMove: null },
        ActionUI.ActionOneofCase.ToggleAutocast => !selection,
        ActionUI.ActionOneofCase.CargoPanel or ActionUI.ActionOneofCase.ProductionPanel => false,
        _ => selection,
    };

    private static bool IsPlace(Point2D? place) =>
        place is null || (float.IsFinite(place.X) && float.IsFinite(place.Y));

    // Every player gets a message to all, including the sender. There are no allies in this game.
    private static void Say(GameWorld world, Player player, ActionChat chat)
    {
        world.EventsOf(player.Id).Chat.Add((player.Id, chat.Message));
        world.EventsOf(0).Chat.Add((player.Id, chat.Message));
        if (chat.Channel != ActionChat.Types.Channel.Team)
        {
            foreach (var other in world.Players.Where(p => p.Id != player.Id))
            {
                world.EventsOf(other.Id).Chat.Add((player.Id, chat.Message));
            }
        }
    }
}
