using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>The viewer of an observation and its camera. Writes the fields that begin every unit's message.</summary>
/// <param name="Wire">The output.</param>
/// <param name="World">The world.</param>
/// <param name="Window">The part of the map that the viewer's coordinates refer to.</param>
/// <param name="Viewer">A player's id, or 0 for all players.</param>
/// <param name="Camera">The center of the camera's view.</param>
internal sealed record ViewPoint(
    WireWriter Wire, GameWorld World, MapWindow Window, int Viewer, (int X, int Y) Camera)
{
    // Half the width of the camera's view. At its usual zoom, the game shows about 24 by 14 cells.
    private const int HalfView = 12 * Geometry.Cell;
    private const float FlightHeight = 3.75f;

    /// <summary>Whether layers show what a player could not see.</summary>
    public bool Cheats { get; init; }

    /// <summary>How the viewer sees a unit now. Null if it does not see the unit.</summary>
    public DisplayType? ShownAs(Unit unit, InterfaceOptions options, bool disableFog) => !unit.Present ? null
        : unit.Owner == Viewer || Viewer == 0 || disableFog ? DisplayType.Visible
        : (unit.SeenBy & (1 << Viewer)) == 0 ? null
        : Uncovers(unit) ? DisplayType.Visible
        : (unit.Type.Is(Kind.Burrowed) ? options.ShowBurrowedShadows : options.ShowCloaked) ? DisplayType.Hidden
        : null;

    /// <summary>Whether the viewer sees an effect.</summary>
    public bool Shows(World.Effect effect, bool disableFog) =>
        effect.Id > 0 && (disableFog || effect.Owner == Viewer || World.Vision.Sees(Viewer, effect.X, effect.Y));

    /// <summary>An effect's radius in cells.</summary>
    public static float RadiusOf(World.Effect effect) =>
        Array.Find(TechTree.Effects, e => e.Id == effect.Id)?.Radius ?? 0;

    /// <summary>Whether the viewer has selected a unit.</summary>
    public bool IsSelected(Unit unit) => Viewer != 0 && World.PlayerOf(Viewer).Selection.Units.Contains(unit);

    /// <summary>Whether a unit is a hallucination and the viewer knows it.</summary>
    public bool KnowsHallucination(Unit unit) => unit.Hallucination
        && (unit.Owner == Viewer || Viewer == 0 || (unit.DetectedBy & (1 << Viewer)) != 0);

    /// <summary>Whether a point is in the camera's view.</summary>
    public bool OnScreen(int x, int y) => Math.Abs(x - Camera.X) <= HalfView && Math.Abs(y - Camera.Y) <= HalfView;

    /// <summary>Whether the viewer sees a unit that is in its sight: the unit is neither cloaked nor burrowed, or is detected.</summary>
    public bool Uncovers(Unit unit) => !IsHidden(unit) || (unit.DetectedBy & (1 << Viewer)) != 0;

    /// <summary>Whether a unit can be seen only with a detector.</summary>
    public static bool IsHidden(Unit unit) => unit.Cloaked || unit.Type.Is(Kind.Burrowed);

    /// <summary>How cloaked the viewer sees a visible unit.</summary>
    public CloakState CloakOf(Unit unit) => !IsHidden(unit) ? CloakState.NotCloaked
        : unit.Owner == Viewer || Viewer == 0 ? CloakState.CloakedAllied : CloakState.CloakedDetected;

    /// <summary>A unit's alliance, as seen by the viewer.</summary>
    public Alliance AllianceOf(Unit unit) => unit.Owner == GameWorld.Neutral ? Alliance.Neutral
        : unit.Owner == Viewer ? Alliance.Self : Alliance.Enemy;

    /// <summary>Writes Unit's fields alliance, tag, unit_type and owner.</summary>
    public void WriteName(Unit unit, ulong tag, UnitType type)
    {
        Wire.Number(2, (ulong)AllianceOf(unit));
        Wire.Number(3, tag);
        Wire.Number(4, type.Id);
        Wire.Number(5, unit.Owner);
    }

    /// <summary>Writes Unit's field pos.</summary>
    public void WritePlace(int x, int y, bool flying)
    {
        var z = (World.Map.TerrainHeight[World.Map.CellAt(x, y)] * 32f / 255f) - 16f;
        Wire.Point(6, Window.X(x), Window.Y(y), flying ? z + FlightHeight : z);
    }

    /// <summary>Writes Unit's fields facing, radius and build_progress.</summary>
    public void WriteShape(UnitType type, int facing, float progress)
    {
        Wire.Real(7, FacingOf(facing));
        Wire.Real(8, RadiusOf(type));
        Wire.Real(9, progress);
    }

    /// <summary>A direction in radians.</summary>
    public static float FacingOf(int facing) => facing * (MathF.Tau / Geometry.Turn);

    /// <summary>A type's radius in cells.</summary>
    public static float RadiusOf(UnitType type) => type.Radius / (float)Geometry.Cell;

    /// <summary>A unit's build progress, from 0 to 1.</summary>
    public static float ProgressOf(Unit unit, int buildLeft) =>
        buildLeft == 0 ? 1 : 1 - (buildLeft / (float)unit.BuildLoops);
}
