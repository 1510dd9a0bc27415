using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Converts the pixels in a client's actions to coordinates, and the coordinates in reported actions to pixels. Coordinates
/// on the screen count from the camera's center, and on the minimap from the map's corner, both in 1/4096 of a cell. So an
/// action in the journal does not depend on the client's images.
/// </summary>
/// <param name="setup">The client's images; null if it has none.</param>
/// <param name="window">The part of the map that its minimap shows.</param>
internal sealed class PixelRequests(SpatialCameraSetup? setup, MapWindow window)
{
    private readonly PixelGrid _screen = setup is null ? default : PixelGrid.Screen(setup, 0, 0);
    private readonly PixelGrid _minimap = setup is null ? default : PixelGrid.Minimap(setup, window);

    /// <summary>Converts an action's pixels to coordinates. Null if a pixel is outside its image, or the client has no images.</summary>
    public SC2APIProtocol.Action? ToWorld(SC2APIProtocol.Action action)
    {
        var inside = true;
        var moved = Moved(action, (grid, pixel, edge) =>
        {
            inside &= grid.Contains(pixel, edge);
            return new PointI { X = (int)grid.X(pixel.X), Y = (int)grid.Y(pixel.Y) };
        });
        return inside ? moved : null;
    }

    /// <summary>
    /// Converts an action's coordinates to the nearest pixels. Without images, only a raw action is reported: null otherwise.
    /// </summary>
    public SC2APIProtocol.Action? ToClient(SC2APIProtocol.Action action)
    {
        if (setup is not null)
        {
            return Moved(action, (grid, place, edge) => new PointI
            {
                X = Math.Clamp(grid.Column(place.X), 0, grid.Columns - 1 + edge),
                Y = Math.Clamp(grid.Row(place.Y), 0, grid.Rows - 1 + edge),
            });
        }

        var raw = action.Clone();
        (raw.ActionFeatureLayer, raw.ActionUi) = (null, null);
        return raw.ActionRaw is null ? null : raw;
    }

    // A frame may end at the image's edge, one pixel after the last. cpp-sc2 71510f6, tests/test_feature_layer.cc:245, draws a
    // frame from (0, 0) to (60, 60) in an image of 60 rows, and expects the same numbers in the next observation.
    private SC2APIProtocol.Action? Moved(SC2APIProtocol.Action action, Func<PixelGrid, PointI, int, PointI> move)
    {
        if (action.ActionFeatureLayer is null)
        {
            return action.ActionUi is null || setup is not null ? action : null;
        }

        if (setup is null)
        {
            return null;
        }

        var moved = action.Clone();
        var mouse = moved.ActionFeatureLayer;
        if (mouse.UnitCommand?.TargetScreenCoord is { } target)
        {
            mouse.UnitCommand.TargetScreenCoord = move(_screen, target, 0);
        }
        else if (mouse.UnitCommand?.TargetMinimapCoord is { } place)
        {
            mouse.UnitCommand.TargetMinimapCoord = move(_minimap, place, 0);
        }
        else if (mouse.CameraMove?.CenterMinimap is { } centre)
        {
            mouse.CameraMove.CenterMinimap = move(_minimap, centre, 0);
        }
        else if (mouse.UnitSelectionPoint?.SelectionScreenCoord is { } point)
        {
            mouse.UnitSelectionPoint.SelectionScreenCoord = move(_screen, point, 0);
        }

        foreach (var frame in mouse.UnitSelectionRect?.SelectionScreenCoord ?? [])
        {
            frame.P0 = frame.P0 is null ? null : move(_screen, frame.P0, 1);
            frame.P1 = frame.P1 is null ? null : move(_screen, frame.P1, 1);
        }

        return moved;
    }
}
