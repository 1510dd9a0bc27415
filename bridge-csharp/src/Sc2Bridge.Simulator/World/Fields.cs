using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Finds resources to mine, and town halls that accept loads.</summary>
internal static class Fields
{
    /// <summary>The longest distance of a mineral field from its town hall.</summary>
    public const int Reach = 10 * Geometry.Cell;

    // A worker whose field is in use looks this far for another one.
    private const int Neighbourhood = 5 * Geometry.Cell;

    /// <summary>Whether a field can be mined, now or when its refinery is finished.</summary>
    public static bool Mineable(Unit field) => field.Type.Is(Kind.Minerals | Kind.Refinery) && field.Contents > 0;

    /// <summary>Whether a unit may mine a field. Only the owner may use a refinery, and a MULE mines only minerals.</summary>
    public static bool MayMine(Unit unit, Unit field) =>
        field.Type.Is(Kind.Minerals) || (field.Owner == unit.Owner && unit.Type.Id != UnitId.MULE);

    /// <summary>Whether a player's workers can deliver loads to a building.</summary>
    public static bool TakesLoads(Unit hall, int owner) =>
        hall.Owner == owner && hall.Alive && hall.Finished && hall.Type.Is(Kind.TownHall) && !hall.Flying;

    /// <summary>Whether a worker is mining a field now, or is inside the refinery.</summary>
    public static bool IsAt(Unit worker, Unit field) =>
        worker.Alive && (ReferenceEquals(worker.Carrier, field)
            || (worker.Order is { Phase: Mining.Working } order && ReferenceEquals(order.Target, field)));

    /// <summary>A mineral field near another one that is not mined now and has fewer workers, or null.</summary>
    public static Unit? FreeNeighbour(GameWorld world, Unit field) => field.Type.Is(Kind.Refinery)
        ? null
        : Nearest(world, field.X, field.Y, Neighbourhood, u =>
            u.Type.Is(Kind.Minerals) && Mineable(u) && u.Harvesters < field.Harvesters && u.Harvesters < 2
            && (u.MinedBy is not { } other || !IsAt(other, u)));

    /// <summary>The nearest matching unit around a point, or null.</summary>
    public static Unit? Nearest(GameWorld world, int x, int y, int reach, Predicate<Unit> which)
    {
        Unit? best = null;
        var least = (long)reach * reach;
        foreach (var unit in world.Bins.Near(x, y, reach))
        {
            var distance = Squared(unit.X - x, unit.Y - y);
            if (distance < least && which(unit))
            {
                (best, least) = (unit, distance);
            }
        }

        return best;
    }

    /// <summary>The nearest town hall that accepts a worker's load, or null.</summary>
    public static Unit? NearestHall(GameWorld world, Unit unit)
    {
        Unit? best = null;
        var least = long.MaxValue;
        foreach (var hall in world.Units)
        {
            if (TakesLoads(hall, unit.Owner)
                && Squared(hall.X - unit.X, hall.Y - unit.Y) is var distance && distance < least)
            {
                (best, least) = (hall, distance);
            }
        }

        return best;
    }

    private static long Squared(int dx, int dy) => ((long)dx * dx) + ((long)dy * dy);
}
