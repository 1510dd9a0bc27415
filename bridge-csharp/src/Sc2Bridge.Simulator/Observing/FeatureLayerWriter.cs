using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Draws the screen and the minimap of one viewer, and writes them (Observation.feature_layer_data).</summary>
/// <param name="setup">The client's request.</param>
/// <param name="window">The part of the map that the client's minimap shows: the whole map or its playable area.</param>
internal sealed class FeatureLayerWriter(SpatialCameraSetup setup, MapWindow window)
{
    private readonly LayerView _screen = new(FeatureLayer.Screen, setup.Resolution);
    private readonly LayerView _minimap = new(FeatureLayer.Minimap, setup.MinimapResolution);
    private readonly PixelGrid _overview = PixelGrid.Minimap(setup, window);
    private readonly List<Sighting> _seen = [];

    /// <summary>Draws and writes both images.</summary>
    public void Write(ViewPoint view, InterfaceOptions options, bool disableFog, IReadOnlyList<World.Unit> towers)
    {
        Sighting.Collect(view, options, disableFog, towers, _seen);
        var grid = PixelGrid.Screen(setup, view.Camera.X, view.Camera.Y);
        _screen.Begin(view, grid);
        _minimap.Begin(view, _overview);
        foreach (var (source, radius) in view.World.Power.Sources)
        {
            if (source.Owner == view.Viewer && source.Alive)
            {
                _screen.Mark("power", source.X, source.Y, radius, 1);
            }
        }

        foreach (var effect in view.World.Effects)
        {
            if (view.Shows(effect, disableFog))
            {
                _screen.Mark("effects", effect.X, effect.Y, (int)(ViewPoint.RadiusOf(effect) * Geometry.Cell), effect.Id);
            }
        }

        foreach (var (_, _, type, x, y) in SnapshotUnitWriter.PlaceholdersOf(view))
        {
            _screen.Mark("placeholder", x, y, type.Radius, 1);
        }

        _minimap.Frame("camera", grid);
        _screen.Draw(view, _seen, all: true);
        _minimap.Draw(view, _seen, all: false);
        var screen = _screen.Image.Message;
        var minimap = _minimap.Image.Message;
        view.Wire.Head(6, WireWriter.BytesSize(1, screen.Length) + WireWriter.BytesSize(2, minimap.Length));
        view.Wire.Bytes(1, screen);
        view.Wire.Bytes(2, minimap);
    }
}
