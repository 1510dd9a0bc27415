using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>A unit as a viewer has it, now or from memory.</summary>
/// <param name="Unit">Which.</param>
/// <param name="Type">What it is, or was; null for a blip.</param>
/// <param name="X">Where, in 1/4096 of a cell.</param>
/// <param name="Y">Where.</param>
/// <param name="Display">How it is seen.</param>
/// <param name="BuildLeft">Loops until it is built.</param>
internal readonly record struct Sighting(
    World.Unit Unit, UnitType? Type, int X, int Y, DisplayType Display, int BuildLeft)
{
    /// <summary>Whether it is seen with all that it has.</summary>
    public bool Full => Display == DisplayType.Visible;

    /// <summary>Whether it is seen, be it hidden, and is no blip.</summary>
    public bool Known => Display != DisplayType.Snapshot && Type is not null;

    /// <summary>Whether it is in the air, above others.</summary>
    public bool Above => Type?.Is(Kind.Flying) == true;

    /// <summary>Whether the minimap shows it: of what is nobody's, it shows resources.</summary>
    public bool OnMinimap => Unit.Owner != GameWorld.Neutral || Unit.Type.Is(Kind.Minerals | Kind.Geyser);

    /// <summary>How far it reaches, in 1/4096 of a cell.</summary>
    public int Radius => (Type ?? Unit.Type).Radius;

    /// <summary>Collects all that a viewer has, in the order in which units are told to it.</summary>
    public static void Collect(
        ViewPoint view, InterfaceOptions options, bool disableFog, IReadOnlyList<World.Unit> towers, List<Sighting> to)
    {
        to.Clear();
        foreach (var unit in view.World.Units)
        {
            if (view.ShownAs(unit, options, disableFog) is { } display)
            {
                to.Add(new Sighting(unit, unit.Type, unit.X, unit.Y, display, unit.BuildLeft));
            }
        }

        if (view.Viewer == 0 || disableFog)
        {
            return;
        }

        foreach (var known in view.World.Vision.SnapshotsOf(view.Viewer))
        {
            to.Add(new Sighting(known.Unit, known.Type, known.X, known.Y, DisplayType.Snapshot, known.BuildLeft));
        }

        foreach (var blip in SnapshotUnitWriter.BlipsOf(view, towers))
        {
            to.Add(new Sighting(blip, null, blip.X, blip.Y, DisplayType.Hidden, 0));
        }
    }
}
