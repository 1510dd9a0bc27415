using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Converts coordinates between the map and a client that counts from the corner of the playable area: in its requests, and
/// in the actions that are reported to it.
/// </summary>
internal static class WindowedRequests
{
    /// <summary>Converts an action to the map's coordinates.</summary>
    public static SC2APIProtocol.Action ToWorld(SC2APIProtocol.Action action, MapWindow window) =>
        Moved(action, window.X0, window.Y0);

    /// <summary>Converts an action to the client's coordinates.</summary>
    public static SC2APIProtocol.Action ToClient(SC2APIProtocol.Action action, MapWindow window) =>
        Moved(action, -window.X0, -window.Y0);

    /// <summary>Converts a debug command to the map's coordinates.</summary>
    public static DebugCommand ToWorld(DebugCommand command, MapWindow window)
    {
        if (window.X0 == 0 && window.Y0 == 0)
        {
            return command;
        }

        var moved = command.Clone();
        Move(moved.CreateUnit?.Pos, window.X0, window.Y0);
        return moved;
    }

    /// <summary>Converts an observer's action to the map's coordinates.</summary>
    public static ObserverAction ToWorld(ObserverAction action, MapWindow window)
    {
        var moved = action.Clone();
        Move(moved.CameraMove?.WorldPos, window.X0, window.Y0);
        return moved;
    }

    private static SC2APIProtocol.Action Moved(SC2APIProtocol.Action action, int right, int up)
    {
        if (right == 0 && up == 0)
        {
            return action;
        }

        var moved = action.Clone();
        Move(moved.ActionRaw?.UnitCommand?.TargetWorldSpacePos, right, up);
        if (moved.ActionRaw?.CameraMove?.CenterWorldSpace is { } centre)
        {
            (centre.X, centre.Y) = (centre.X + right, centre.Y + up);
        }

        return moved;
    }

    private static void Move(Point2D? place, int right, int up)
    {
        if (place is not null)
        {
            (place.X, place.Y) = (place.X + right, place.Y + up);
        }
    }
}
