using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>The source of a layer's pixels.</summary>
internal enum LayerSource
{
    /// <summary>The heights of the ground, interpolated between the centers of cells.</summary>
    Heights,

    /// <summary>A property of the map that never changes, with one bit for each cell.</summary>
    Terrain,

    /// <summary>The state of a cell, which can change.</summary>
    Cells,

    /// <summary>The uppermost unit in the pixel: <see cref="FeatureLayer.Value"/>.</summary>
    Units,

    /// <summary>The number of units in the pixel.</summary>
    Count,

    /// <summary>The part of the pixel that units cover, in sixteenths.</summary>
    Cover,

    /// <summary>Discs and frames that are not units: power fields, effects, the camera, planned buildings.</summary>
    Shapes,

    /// <summary>No source: the layer is always empty.</summary>
    Nothing,
}

/// <summary>A layer of FeatureLayers or of FeatureLayersMinimap.</summary>
/// <param name="Name">The name in s2client-proto.</param>
/// <param name="Field">The field's number.</param>
/// <param name="Bits">Bits of a pixel.</param>
/// <param name="Source">The source of the pixels.</param>
/// <param name="Value">The value of the pixels of a unit.</param>
/// <param name="Ground">The value of the pixels of a cell. Gets the cell's index.</param>
/// <remarks>
/// The numbers of bits come from a real message (about build 3.16, PySC2's test data). The six newer layers (active to
/// placeholder) have the numbers that the scales in PySC2's features.py allow. The values equal the values of the raw unit:
/// PySC2's obs_test.py compares them.
/// </remarks>
internal sealed record FeatureLayer(
    string Name,
    int Field,
    int Bits,
    LayerSource Source,
    Func<ViewPoint, Sighting, int>? Value = null,
    Func<ViewPoint, int, int>? Ground = null)
{
    /// <summary>The layers of the screen, by field.</summary>
    public static readonly FeatureLayer[] Screen =
    [
        new("height_map", 1, 8, LayerSource.Heights),
        new("visibility_map", 2, 8, LayerSource.Cells, Ground: Visibility),
        new("creep", 3, 1, LayerSource.Cells, Ground: Creep),
        new("power", 4, 1, LayerSource.Shapes),
        new("player_id", 5, 8, LayerSource.Units, Owner),
        new("unit_type", 6, 32, LayerSource.Units, (_, seen) => seen.Type?.Id ?? 0),
        new("selected", 7, 1, LayerSource.Units, Selected),
        new("unit_hit_points", 8, 32, LayerSource.Units, (_, seen) => Points(seen, HealthOf(seen.Unit))),
        new("unit_energy", 9, 32, LayerSource.Units, (_, seen) => Points(seen, seen.Unit.Energy)),
        new("unit_shields", 10, 32, LayerSource.Units, (_, seen) => Points(seen, seen.Unit.Shield)),
        new("player_relative", 11, 8, LayerSource.Units, Relative),
        new("unit_density_aa", 14, 8, LayerSource.Cover),
        new("unit_density", 15, 8, LayerSource.Count),
        new("unit_hit_points_ratio", 17, 8, LayerSource.Units, (_, s) => Ratio(s, s.Unit.Health, s.Unit.MostHealth)),
        new("unit_energy_ratio", 18, 8, LayerSource.Units, (_, s) => Ratio(s, s.Unit.Energy, s.Unit.Type.Energy * 256)),
        new("unit_shields_ratio", 19, 8, LayerSource.Units, (_, s) => Ratio(s, s.Unit.Shield, s.Unit.Type.Shield * 256)),
        new("effects", 20, 8, LayerSource.Shapes),
        new("hallucinations", 21, 1, LayerSource.Units, (view, seen) => seen.Full && view.KnowsHallucination(seen.Unit) ? 1 : 0),
        new("cloaked", 22, 1, LayerSource.Units, (_, seen) => seen.Known && ViewPoint.IsHidden(seen.Unit) ? 1 : 0),
        new("blip", 23, 1, LayerSource.Units, (_, seen) => seen.Type is null ? 1 : 0),
        new("buffs", 24, 32, LayerSource.Units, (_, seen) => seen.Full ? UnitWriter.FirstBuff(seen.Unit) : 0),
        new("active", 25, 1, LayerSource.Units, (_, seen) => seen.Full && OrderWriter.IsActive(seen.Unit) ? 1 : 0),
        new("buff_duration", 26, 8, LayerSource.Units, TimedLife),
        new("build_progress", 27, 8, LayerSource.Units, Progress),
        new("buildable", 28, 1, LayerSource.Terrain, Ground: Buildable),
        new("pathable", 29, 1, LayerSource.Terrain, Ground: Pathable),
        new("placeholder", 30, 1, LayerSource.Shapes),
    ];

    /// <summary>The layers of the minimap, by field.</summary>
    public static readonly FeatureLayer[] Minimap =
    [
        new("height_map", 1, 8, LayerSource.Heights),
        new("visibility_map", 2, 8, LayerSource.Cells, Ground: Visibility),
        new("creep", 3, 1, LayerSource.Cells, Ground: Creep),
        new("camera", 4, 1, LayerSource.Shapes),
        new("player_id", 5, 8, LayerSource.Units, Owner),
        new("player_relative", 6, 8, LayerSource.Units, Relative),
        new("selected", 7, 1, LayerSource.Units, Selected),
        new("unit_type", 8, 32, LayerSource.Units, (view, seen) => view.Cheats ? seen.Type?.Id ?? 0 : 0),
        new("alerts", 9, 8, LayerSource.Nothing),
        new("buildable", 10, 1, LayerSource.Terrain, Ground: Buildable),
        new("pathable", 11, 1, LayerSource.Terrain, Ground: Pathable),
    ];

    private static int Visibility(ViewPoint view, int cell) => view.World.Vision.StateOf(view.Viewer, cell);

    private static int Creep(ViewPoint view, int cell) => (view.World.Creep.Bits[cell >> 3] >> (7 - (cell & 7))) & 1;

    private static int Buildable(ViewPoint view, int cell) => view.World.Map.Placeable[cell] ? 1 : 0;

    private static int Pathable(ViewPoint view, int cell) => view.World.Map.Pathable[cell] ? 1 : 0;

    private static int Owner(ViewPoint view, Sighting seen) => seen.Type is null ? 0 : seen.Unit.Owner;

    private static int Relative(ViewPoint view, Sighting seen) => (int)view.AllianceOf(seen.Unit);

    private static int Selected(ViewPoint view, Sighting seen) => seen.Known && view.IsSelected(seen.Unit) ? 1 : 0;

    private static int HealthOf(Unit unit) =>
        unit.Type.Is(Kind.Minerals | Kind.Geyser) ? UnitWriter.ResourceLife * 256 : unit.Health;

    private static int Points(in Sighting seen, int parts) => seen.Full ? parts / 256 : 0;

    private static int Ratio(in Sighting seen, int parts, int most) =>
        !seen.Full || most == 0 ? 0 : (int)Math.Min(255, parts * 255L / most);

    private static int TimedLife(ViewPoint view, Sighting seen) => seen.Full && seen.Unit.Expires > 0
        ? (int)(Math.Max(0L, seen.Unit.Expires - view.World.Loop) * 255 / Math.Max(1, seen.Unit.ExpiresAfter))
        : 0;

    private static int Progress(ViewPoint view, Sighting seen) => !seen.Known ? 0
        : seen.BuildLeft == 0 ? 255 : 255 - (int)(seen.BuildLeft * 255L / Math.Max(1, seen.Unit.BuildLoops));
}
