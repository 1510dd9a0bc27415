using SC2APIProtocol;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Simulator.Api;

/// <summary>
/// Turns the places in requests of a client that counts from the playable area's corner into the map's own.
/// </summary>
internal static class WindowedRequests
{
    /// <summary>An action with the map's places.</summary>
    public static SC2APIProtocol.Action ToWorld(SC2APIProtocol.Action action, MapWindow window)
    {
        if (window.X0 == 0 && window.Y0 == 0)
        {
            return action;
        }

        var moved = action.Clone();
        Move(moved.ActionRaw?.UnitCommand?.TargetWorldSpacePos, window);
        if (moved.ActionRaw?.CameraMove?.CenterWorldSpace is { } centre)
        {
            (centre.X, centre.Y) = (centre.X + window.X0, centre.Y + window.Y0);
        }

        return moved;
    }

    /// <summary>A debug command with the map's places.</summary>
    public static DebugCommand ToWorld(DebugCommand command, MapWindow window)
    {
        if (window.X0 == 0 && window.Y0 == 0)
        {
            return command;
        }

        var moved = command.Clone();
        Move(moved.CreateUnit?.Pos, window);
        return moved;
    }

    private static void Move(Point2D? place, MapWindow window)
    {
        if (place is not null)
        {
            (place.X, place.Y) = (place.X + window.X0, place.Y + window.Y0);
        }
    }
}
