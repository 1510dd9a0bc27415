using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;
using static SC2APIProtocol.ActionSpatial;
using Click = SC2APIProtocol.ActionSpatialUnitSelectionPoint.Types.Type;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>
/// Players' actions with the mouse (<c>action_feature_layer</c>). Their pixels have already been converted to coordinates in 1/4096 of a
/// cell. Coordinates on the screen count from the camera's center, to the right and up. Those on the minimap are the map's.
/// </summary>
internal static class ScreenActions
{
    // Each frame is compared with every unit. PySC2 sends one frame.
    private const int MostFrames = 64;

    // With 48 pixels for 24 cells, a pixel of a unit's disc may be this far outside its radius.
    private const int Slack = Geometry.Cell * 3 / 8;

    /// <summary>The game's answer to an action. Changes nothing.</summary>
    public static ActionResult Check(GameWorld world, Player player, ActionSpatial action) => action.ActionCase switch
    {
        ActionOneofCase.UnitCommand => Commander.Check(world, player, CommandOf(world, player, action.UnitCommand)),
        ActionOneofCase.CameraMove => action.CameraMove.CenterMinimap is null ? ActionResult.Error : ActionResult.Success,
        ActionOneofCase.UnitSelectionPoint =>
            action.UnitSelectionPoint.SelectionScreenCoord is null ? ActionResult.Error : ActionResult.Success,
        ActionOneofCase.UnitSelectionRect => action.UnitSelectionRect.SelectionScreenCoord.Count is 0 or > MostFrames
            || action.UnitSelectionRect.SelectionScreenCoord.Any(r => r.P0 is null || r.P1 is null)
            ? ActionResult.Error
            : ActionResult.Success,
        _ => ActionResult.Error,
    };

    /// <summary>Carries out an action for which <see cref="Check"/> returned <see cref="ActionResult.Success"/>.</summary>
    public static void Do(GameWorld world, Player player, ActionSpatial action)
    {
        switch (action.ActionCase)
        {
            case ActionOneofCase.CameraMove:
                player.Camera = world.Map.Inside(action.CameraMove.CenterMinimap.X, action.CameraMove.CenterMinimap.Y);
                break;
            case ActionOneofCase.UnitSelectionPoint:
                var (x, y) = OnScreen(player, action.UnitSelectionPoint.SelectionScreenCoord);
                if (UnitAt(world, player, x, y) is { } unit)
                {
                    Select(world, player, unit, action.UnitSelectionPoint.Type);
                }

                break;
            default:
                var rectangles = action.UnitSelectionRect;
                SelectIn(
                    world,
                    player,
                    [.. rectangles.SelectionScreenCoord.Select(r => (OnScreen(player, r.P0), OnScreen(player, r.P1)))],
                    rectangles.SelectionAdd);
                break;
        }
    }

    /// <summary>Converts a command to the selected units into a command with the tags of these units.</summary>
    public static ActionRawUnitCommand CommandOf(GameWorld world, Player player, ActionSpatialUnitCommand command)
    {
        var raw = new ActionRawUnitCommand { AbilityId = command.AbilityId, QueueCommand = command.QueueCommand };
        raw.UnitTags.AddRange(player.Selection.Units.Where(unit => unit.Owner == player.Id).Select(unit => unit.Tag));
        var onScreen = command.TargetCase == ActionSpatialUnitCommand.TargetOneofCase.TargetScreenCoord;
        if (command.TargetCase == ActionSpatialUnitCommand.TargetOneofCase.None)
        {
            return raw;
        }

        var (x, y) = onScreen ? OnScreen(player, command.TargetScreenCoord)
            : (command.TargetMinimapCoord.X, command.TargetMinimapCoord.Y);

        // A click on a unit targets the unit, unless the ability accepts only points. On the minimap, every target is a point.
        var aim = TechTree.FindAbility(command.AbilityId)?.Target;
        if (onScreen && aim != AbilityData.Types.Target.Point && UnitAt(world, player, x, y) is { } unit)
        {
            raw.TargetUnitTag = unit.Tag;
        }
        else
        {
            raw.TargetWorldSpacePos =
                new Point2D { X = x / (float)Geometry.Cell, Y = y / (float)Geometry.Cell };
        }

        return raw;
    }

    /// <summary>
    /// Adds the equivalent mouse or panel action to a raw action that was carried out. Clients with images get both forms, as
    /// PySC2's obs_test.py expects (its reverse_action knows no other form).
    /// </summary>
    public static SC2APIProtocol.Action WithMouse(GameWorld world, Player player, SC2APIProtocol.Action done)
    {
        if (done.ActionRaw?.UnitCommand is { } command)
        {
            if (done.ActionFeatureLayer?.UnitCommand is null)
            {
                done.ActionFeatureLayer = new ActionSpatial { UnitCommand = new() { QueueCommand = command.QueueCommand } };
            }

            var told = done.ActionFeatureLayer.UnitCommand;
            told.AbilityId = command.AbilityId;
            if (TechTree.FindAbility(told.AbilityId)?.Target == AbilityData.Types.Target.None)
            {
                // A right click on a base becomes HARVEST_RETURN, which has no target.
                told.ClearTarget();
            }
            else if (told.TargetCase == ActionSpatialUnitCommand.TargetOneofCase.None
                && CommandTarget.Read(world, player, command) is { Any: true } target)
            {
                told.TargetScreenCoord = new PointI { X = target.X - player.Camera.X, Y = target.Y - player.Camera.Y };
            }
        }
        else if (done.ActionRaw?.CameraMove is not null)
        {
            var centre = new PointI { X = player.Camera.X, Y = player.Camera.Y };
            done.ActionFeatureLayer = new ActionSpatial { CameraMove = new() { CenterMinimap = centre } };
        }
        else if (done.ActionRaw?.ToggleAutocast is { } toggle)
        {
            done.ActionUi = new ActionUI { ToggleAutocast = new() { AbilityId = toggle.AbilityId } };
        }

        return done;
    }

    private static (int X, int Y) OnScreen(Player player, PointI from) =>
        (player.Camera.X + from.X, player.Camera.Y + from.Y);

    // The matching unit that is drawn last. Flying units are above others. The player must see the unit. A neutral unit
    // may also be remembered, even if it died unseen.
    private static World.Unit? UnitAt(GameWorld world, Player player, int x, int y)
    {
        var (found, nearest) = ((World.Unit?)null, Slack);
        var gone = world.Vision.SnapshotsOf(player.Id).Where(seen => seen.Gone && seen.Unit.Owner == GameWorld.Neutral);
        foreach (var unit in world.Units.Concat(gone.Select(seen => seen.Unit)))
        {
            var far = Math.Max(0, Geometry.Length(unit.X - x, unit.Y - y) - unit.Type.Radius);
            if (unit.Present && (far < nearest || (far == nearest && (unit.Flying || found?.Flying != true)))
                && (unit.Owner == player.Id || (unit.Owner == GameWorld.Neutral
                    ? world.Vision.Knows(player.Id, unit)
                    : unit.IsKnownTo(player.Id))))
            {
                (found, nearest) = (unit, far);
            }
        }

        return found;
    }

    private static void Select(GameWorld world, Player player, World.Unit unit, Click type)
    {
        var (selection, own) = (player.Selection, unit.Owner == player.Id);
        if (type == Click.Toggle && selection.Units.Remove(unit))
        {
            return;
        }

        var all = type is Click.AllType or Click.AddAllType && own;
        var add = type is Click.Toggle or Click.AddAllType && own && selection.Units.TrueForAll(u => u.Owner == player.Id);
        selection.Select(
            all ? world.Units.Where(u => u.Present && u.Owner == player.Id && u.Type.Id == unit.Type.Id
                && OnView(player, u)) : [unit],
            add);
    }

    // A double click selects units within the usual view of s2client-proto's camera.
    private static bool OnView(Player player, World.Unit unit) =>
        Math.Max(Math.Abs(unit.X - player.Camera.X), Math.Abs(unit.Y - player.Camera.Y)) <= 12 * Geometry.Cell;

    // A frame selects buildings only if it contains no other units.
    private static void SelectIn(
        GameWorld world, Player player, ((int X, int Y) From, (int X, int Y) To)[] frames, bool add)
    {
        World.Unit[] inside = [.. world.Units.Where(unit => unit.Present && unit.Owner == player.Id
            && Array.Exists(frames, frame => Touches(unit.X, frame.From.X, frame.To.X, unit.Type.Radius)
                && Touches(unit.Y, frame.From.Y, frame.To.Y, unit.Type.Radius)))];
        World.Unit[] moving = [.. inside.Where(unit => !unit.Type.Is(Kind.Structure))];
        World.Unit[] chosen = moving.Length > 0 ? moving : inside;
        if (chosen.Length > 0)
        {
            player.Selection.Select(chosen, add && player.Selection.Units.TrueForAll(u => u.Owner == player.Id));
        }
    }

    private static bool Touches(int at, int from, int to, int radius) =>
        at + radius >= Math.Min(from, to) && at - radius <= Math.Max(from, to);
}
