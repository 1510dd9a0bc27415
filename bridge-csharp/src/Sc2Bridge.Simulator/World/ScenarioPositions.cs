using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Puts two teams at random positions that depend on the seed, as SMACv2 does.</summary>
/// <remarks>
/// Source: <c>ReflectPositionDistribution</c> and <c>SurroundedPositionDistribution</c> in smacv2/env/starcraft2/distributions.py of
/// https://github.com/oxwhirl/smacv2 at 577ab5a2cff2391f8df582da5731ea9cd6adf3c6.
/// </remarks>
internal static class ScenarioPositions
{
    // Half the width of the strip between the sides, and the distance from the center at which the enemies' diagonals end.
    private const int Gap = Geometry.Cell;
    private const int Offset = 2 * Geometry.Cell;
    private const int MostGroups = 4;
    private const int Parts = 4096;

    /// <summary>Puts the first player's units uniformly on the left half. The second player's units are the mirror image, and
    /// its further units are uniformly on the right half.</summary>
    /// <param name="world">The game.</param>
    /// <param name="own">The first player's units.</param>
    /// <param name="others">Further units of the second player.</param>
    public static void Reflect(GameWorld world, IEnumerable<UnitType> own, IEnumerable<UnitType> others)
    {
        var area = world.Map.Playable;
        var (left, right) = (area.X0 * Geometry.Cell, area.X1 * Geometry.Cell);
        var y = (area.Y0 * Geometry.Cell, area.Y1 * Geometry.Cell);
        var middle = world.Map.Width * Geometry.Cell / 2;
        foreach (var type in own)
        {
            ScenarioSetup.PutWithin(world, type, 1, (left, middle - Gap), y);
        }

        ScenarioSetup.Mirror(world, 2);
        foreach (var type in others)
        {
            ScenarioSetup.PutWithin(world, type, 2, (middle, right), y);
        }
    }

    /// <summary>Puts the first player's units at the center, and the second player's in one to four groups on the diagonals.</summary>
    /// <param name="world">The game.</param>
    /// <param name="own">The first player's units.</param>
    /// <param name="enemies">All units of the second player.</param>
    public static void Surround(GameWorld world, IReadOnlyList<UnitType> own, IReadOnlyList<UnitType> enemies)
    {
        var (x, y) = (world.Map.Width * Geometry.Cell / 2, world.Map.Height * Geometry.Cell / 2);
        PutTogether(world, own, 1, x, y);
        var corners = new List<(int X, int Y)> { (-1, -1), (-1, 1), (1, 1), (1, -1) };
        var sizes = new int[1 + world.Random(MostGroups)];
        for (var i = 0; i < enemies.Count; i++)
        {
            sizes[world.Random(sizes.Length)]++;
        }

        var first = 0;
        foreach (var size in sizes)
        {
            var corner = corners[world.Random(corners.Count)];
            corners.Remove(corner);
            var part = world.Random(Parts + 1);
            PutTogether(
                world, enemies.Skip(first).Take(size), 2, Along(x, corner.X, part), Along(y, corner.Y, part));
            first += size;
        }
    }

    // A point between the inner end of a diagonal (all parts) and the map's edge (no part).
    private static int Along(int middle, int direction, int part) =>
        middle + (int)(direction * (((long)Offset * part) + ((long)middle * (Parts - part))) / Parts);

    private static void PutTogether(GameWorld world, IEnumerable<UnitType> types, int owner, int x, int y)
    {
        foreach (var same in types.GroupBy(type => type))
        {
            Placing.Put(world, same.Key, owner, x, y, same.Count());
        }
    }
}
