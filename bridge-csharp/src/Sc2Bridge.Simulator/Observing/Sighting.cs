using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>A unit as a viewer sees or remembers it.</summary>
/// <param name="Unit">The unit.</param>
/// <param name="Type">Its type at that time; null for a blip.</param>
/// <param name="X">Its position, in 1/4096 of a cell.</param>
/// <param name="Y">Its position.</param>
/// <param name="Display">The kind of sight: visible, hidden or remembered.</param>
/// <param name="BuildLeft">Loops until it is built.</param>
internal readonly record struct Sighting(
    World.Unit Unit, UnitType? Type, int X, int Y, DisplayType Display, int BuildLeft)
{
    /// <summary>Whether the viewer sees all its details.</summary>
    public bool Full => Display == DisplayType.Visible;

    /// <summary>Whether the viewer sees it now and knows its type, even if it is hidden.</summary>
    public bool Known => Display != DisplayType.Snapshot && Type is not null;

    /// <summary>Whether it flies, so that it is drawn above others.</summary>
    public bool Above => Type?.Is(Kind.Flying) == true;

    /// <summary>Whether the minimap shows it. Of neutral units, it shows only resources.</summary>
    public bool OnMinimap => Unit.Owner != GameWorld.Neutral || Unit.Type.Is(Kind.Minerals | Kind.Geyser);

    /// <summary>Its radius, in 1/4096 of a cell.</summary>
    public int Radius => (Type ?? Unit.Type).Radius;

    /// <summary>Collects all units that a viewer sees or remembers, in the order of the observation.</summary>
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
