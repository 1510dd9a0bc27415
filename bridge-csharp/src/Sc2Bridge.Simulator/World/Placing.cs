using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Puts units of debug commands and scenarios on the map.</summary>
internal static class Placing
{
    // If the point is occupied, the search covers seven positions of the unit's size in each direction.
    private const int PlacesTried = 15 * 15;

    private const int GeyserContents = 2250;

    /// <summary>Puts units side by side around a point, if there is room.</summary>
    /// <returns>The number of units that were placed.</returns>
    public static int Put(GameWorld world, UnitType type, int owner, int x, int y, int count)
    {
        var made = 0;
        var side = Math.Max(type.Footprint * Geometry.Cell, type.Radius * 2);
        foreach (var (left, up) in Spiral().Take(PlacesTried + (count * 9)))
        {
            if (made == count)
            {
                break;
            }

            made += Make(world, type, owner, x + (left * side), y + (up * side)) ? 1 : 0;
        }

        return made;
    }

    private static bool Make(GameWorld world, UnitType type, int owner, int x, int y)
    {
        var area = world.Map.Playable;
        if (type.Footprint > 0)
        {
            (x, y) = Sites.Snap(type, x, y);
        }

        if (!area.Contains(x >> 12, y >> 12) || (type.Footprint > 0 && !world.Ground.Fits(type.Footprint, x, y))
            || (type.Footprint == 0 && !type.Is(Kind.Flying) && !world.Ground.Walkable(world.Map.CellAt(x, y))))
        {
            return false;
        }

        // A refinery stands on a geyser, which is created with it.
        var geyser = type.Is(Kind.Refinery) ? world.Add(TechTree.Unit(UnitId.VespeneGeyser), GameWorld.Neutral, x, y) : null;
        var unit = world.Add(type, owner, x, y);
        unit.Contents = type.Is(Kind.Minerals) ? 1800 : type.Is(Kind.Geyser | Kind.Refinery) ? GeyserContents : 0;
        if (geyser is not null)
        {
            (unit.Home, geyser.Contents) = (geyser, unit.Contents);
        }

        return true;
    }

    /// <summary>Positions in rings, from the center outwards.</summary>
    private static IEnumerable<(int Left, int Up)> Spiral()
    {
        yield return (0, 0);
        for (var ring = 1; ; ring++)
        {
            for (var i = -ring; i < ring; i++)
            {
                yield return (i, -ring);
                yield return (ring, i);
                yield return (-i, ring);
                yield return (-ring, -i);
            }
        }
    }
}
