using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Turns the places in requests of a client that counts from the playable area's corner into the map's own, and those
/// of its actions back again.
/// </summary>
internal static class WindowedRequests
{
    /// <summary>An action with the map's places.</summary>
    public static SC2APIProtocol.Action ToWorld(SC2APIProtocol.Action action, MapWindow window) =>
        Moved(action, window.X0, window.Y0);

    /// <summary>An action with the client's places.</summary>
    public static SC2APIProtocol.Action ToClient(SC2APIProtocol.Action action, MapWindow window) =>
        Moved(action, -window.X0, -window.Y0);

    /// <summary>A debug command with the map's places.</summary>
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

    /// <summary>An observer's action with the map's places.</summary>
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
