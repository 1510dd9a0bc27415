using SC2APIProtocol;
using Kind = SC2APIProtocol.ActionRaw.ActionOneofCase;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>Which actions are refused before they reach the game, as it would ignore them.</summary>
internal static class ActionRules
{
    /// <summary>Why the game does not get an action; null where it does.</summary>
    public static string? Refusal(SC2APIProtocol.Action action)
    {
        if (action.ActionRaw is { } raw)
        {
            return raw.ActionCase switch
            {
                Kind.None => "action_raw says nothing: set unit_command, camera_move or toggle_autocast",
                Kind.UnitCommand when !IsPlace(raw.UnitCommand.TargetWorldSpacePos) =>
                    "target_world_space_pos is no place: x and y are to be finite numbers",
                Kind.CameraMove when raw.CameraMove.CenterWorldSpace is not { } center || !IsPlace(center) =>
                    "center_world_space is no place: x and y are to be finite numbers",
                _ => null,
            };
        }

        return action.ActionFeatureLayer is null && action.ActionRender is null && action.ActionUi is null
            && action.ActionChat is null
            ? "the action says nothing: set one of action_raw, action_feature_layer, action_render, action_ui, action_chat"
            : null;
    }

    private static bool IsPlace(Point2D? place) => place is null || (float.IsFinite(place.X) && float.IsFinite(place.Y));

    private static bool IsPlace(Point place) => float.IsFinite(place.X) && float.IsFinite(place.Y);
}
