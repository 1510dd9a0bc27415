using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes units (ObservationRaw.units) that the viewer knows but does not see fully.</summary>
/// <remarks>
/// Snapshots of neutral units have exactly the fields of the real messages at hand. The others follow
/// s2client-proto's comments and are not verified. A blip (a position without a type) and a placeholder are not units of
/// the world. Each has its own tag, derived from its unit's or worker's tag. No command accepts it.
/// </remarks>
internal static class SnapshotUnitWriter
{
    /// <summary>Writes a building or resource as it was when the viewer last saw it.</summary>
    public static void WriteSnapshot(ViewPoint view, in Snapshot seen)
    {
        var start = view.Wire.Begin(2);
        view.Wire.Number(1, (ulong)DisplayType.Snapshot);
        view.WriteName(seen.Unit, seen.Unit.Tag, seen.Type);
        view.WritePlace(seen.X, seen.Y, seen.Type.Is(Kind.Flying));
        view.WriteShape(seen.Type, seen.Facing, ViewPoint.ProgressOf(seen.Unit, seen.BuildLeft));
        WriteRest(view, CloakState.CloakedUnknown, seen.X, seen.Y, blip: false);
        view.Wire.Bool(35, false);
        view.Wire.End(start);
    }

    /// <summary>Writes a cloaked or burrowed enemy in the viewer's sight: its type and position, but not its state.</summary>
    public static void WriteHidden(ViewPoint view, Unit unit)
    {
        var start = view.Wire.Begin(2);
        view.Wire.Number(1, (ulong)DisplayType.Hidden);
        view.WriteName(unit, unit.Tag, unit.Type);
        view.WritePlace(unit.X, unit.Y, unit.Flying);
        view.WriteShape(unit.Type, unit.Facing, ViewPoint.ProgressOf(unit, unit.BuildLeft));
        WriteRest(view, CloakState.Cloaked, unit.X, unit.Y, blip: false);
        view.Wire.End(start);
    }

    /// <summary>Writes the enemies that only a sensor tower of the viewer detects: mobile units in the fog.</summary>
    public static void WriteBlips(ViewPoint view, IReadOnlyList<Unit> towers)
    {
        foreach (var unit in BlipsOf(view, towers))
        {
            var start = view.Wire.Begin(2);
            view.Wire.Number(1, (ulong)DisplayType.Hidden);
            view.Wire.Number(2, (ulong)Alliance.Enemy);
            view.Wire.Number(3, unit.Tag + 1);
            view.WritePlace(unit.X, unit.Y, flying: false);
            WriteRest(view, CloakState.CloakedUnknown, unit.X, unit.Y, blip: true);
            view.Wire.End(start);
        }
    }

    /// <summary>The enemies that only a sensor tower of the viewer detects.</summary>
    public static IEnumerable<Unit> BlipsOf(ViewPoint view, IReadOnlyList<Unit> towers) => towers.Count == 0 ? []
        : view.World.Units.Where(unit => unit.Owner != view.Viewer && unit.Owner != GameWorld.Neutral && unit.Present
            && !unit.Type.Is(Kind.Structure) && ((unit.SeenBy >> view.Viewer) & 1) == 0 && Reached(towers, unit));

    /// <summary>Collects a player's sensor towers.</summary>
    /// <param name="world">The world.</param>
    /// <param name="owner">The player's id.</param>
    /// <param name="towers">Is cleared, and receives them.</param>
    /// <returns>The list.</returns>
    public static List<Unit> TowersOf(GameWorld world, int owner, List<Unit> towers)
    {
        towers.Clear();
        foreach (var unit in world.Units)
        {
            if (unit.Type.Radar > 0 && unit.Owner == owner && unit.Finished)
            {
                towers.Add(unit);
            }
        }

        return towers;
    }

    /// <summary>Writes the buildings that the viewer's workers have orders to build and have not begun.</summary>
    public static void WritePlaceholders(ViewPoint view)
    {
        foreach (var (worker, number, type, x, y) in PlaceholdersOf(view))
        {
            WritePlaceholder(view, worker, number, type, (x, y));
        }
    }

    /// <summary>The placeholders: the worker, the index of its order, and the building's type and position.</summary>
    public static IEnumerable<(Unit Worker, ulong Number, UnitType Type, int X, int Y)> PlaceholdersOf(ViewPoint view)
    {
        foreach (var unit in view.World.Units)
        {
            for (var i = 0; unit.Owner == view.Viewer && unit.Type.Is(Kind.Worker) && i < unit.Orders.Count; i++)
            {
                var order = unit.Orders[i];
                if (order.Made is null && TechTree.FindUnit(order.Ability.Product) is { } type
                    && type.Is(Kind.Structure) && (order.HasPoint || order.Target?.Type.Is(Kind.Geyser) == true))
                {
                    var (x, y) = order.HasPoint ? (order.X, order.Y) : (order.Target!.X, order.Target.Y);
                    yield return (unit, (ulong)i, type, x, y);
                }
            }
        }
    }

    private static void WritePlaceholder(
        ViewPoint view, Unit worker, ulong number, UnitType type, (int X, int Y) place)
    {
        var start = view.Wire.Begin(2);
        view.Wire.Number(1, (ulong)DisplayType.Placeholder);
        view.WriteName(worker, worker.Tag + 1 + number, type);
        view.WritePlace(place.X, place.Y, flying: false);
        view.WriteShape(type, Geometry.Turn * 3 / 4, 0);
        WriteRest(view, CloakState.NotCloaked, place.X, place.Y, blip: false);
        view.Wire.End(start);
    }

    private static void WriteRest(ViewPoint view, CloakState cloak, int x, int y, bool blip)
    {
        view.Wire.Number(10, (ulong)cloak);
        view.Wire.Bool(12, view.OnScreen(x, y));
        view.Wire.Bool(13, blip);
    }

    private static bool Reached(IReadOnlyList<Unit> towers, Unit unit)
    {
        foreach (var tower in towers)
        {
            var distance = Geometry.Length(tower.X - unit.X, tower.Y - unit.Y);
            if (distance <= tower.Type.Radar * Geometry.Cell)
            {
                return true;
            }
        }

        return false;
    }
}
