using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Turns the pixels in a client's actions on its images into places, and those of what was done back again: on the
/// screen from the camera's middle, on the minimap the map's own, both in 1/4096 of a cell. So an action means the same
/// in the journal, whatever images a client has.
/// </summary>
/// <param name="setup">The client's images; null where it has none.</param>
/// <param name="window">What its minimap shows.</param>
internal sealed class PixelRequests(SpatialCameraSetup? setup, MapWindow window)
{
    private readonly PixelGrid _screen = setup is null ? default : PixelGrid.Screen(setup, 0, 0);
    private readonly PixelGrid _minimap = setup is null ? default : PixelGrid.Minimap(setup, window);

    /// <summary>An action with places; null where it has pixels beside its image, or the client has no images.</summary>
    public SC2APIProtocol.Action? ToWorld(SC2APIProtocol.Action action)
    {
        var inside = true;
        var moved = Moved(action, (grid, pixel) =>
        {
            inside &= grid.Contains(pixel);
            return new PointI { X = (int)grid.X(pixel.X), Y = (int)grid.Y(pixel.Y) };
        });
        return inside ? moved : null;
    }

    /// <summary>
    /// An action with the client's pixels, the nearest of its image; null where it has no images, and nothing else is told.
    /// </summary>
    public SC2APIProtocol.Action? ToClient(SC2APIProtocol.Action action)
    {
        if (setup is not null)
        {
            return Moved(action, (grid, place) => new PointI
            {
                X = Math.Clamp(grid.Column(place.X), 0, grid.Columns - 1),
                Y = Math.Clamp(grid.Row(place.Y), 0, grid.Rows - 1),
            });
        }

        var raw = action.Clone();
        (raw.ActionFeatureLayer, raw.ActionUi) = (null, null);
        return raw.ActionRaw is null ? null : raw;
    }

    private SC2APIProtocol.Action? Moved(SC2APIProtocol.Action action, Func<PixelGrid, PointI, PointI> move)
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
            mouse.UnitCommand.TargetScreenCoord = move(_screen, target);
        }
        else if (mouse.UnitCommand?.TargetMinimapCoord is { } place)
        {
            mouse.UnitCommand.TargetMinimapCoord = move(_minimap, place);
        }
        else if (mouse.CameraMove?.CenterMinimap is { } centre)
        {
            mouse.CameraMove.CenterMinimap = move(_minimap, centre);
        }
        else if (mouse.UnitSelectionPoint?.SelectionScreenCoord is { } point)
        {
            mouse.UnitSelectionPoint.SelectionScreenCoord = move(_screen, point);
        }

        foreach (var frame in mouse.UnitSelectionRect?.SelectionScreenCoord ?? [])
        {
            frame.P0 = frame.P0 is null ? null : move(_screen, frame.P0);
            frame.P1 = frame.P1 is null ? null : move(_screen, frame.P1);
        }

        return moved;
    }
}
