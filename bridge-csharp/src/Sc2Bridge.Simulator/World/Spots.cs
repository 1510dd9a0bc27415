using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Finds free positions next to buildings, for new units and for units that are in the way.</summary>
internal static class Spots
{
    private const int Rings = 12;

    /// <summary>
    /// The center of the free cell next to a building that is nearest to a point. If no cell is free, the building's own
    /// center.
    /// </summary>
    public static (int X, int Y) Beside(GameWorld world, Unit building, int x, int y)
    {
        var half = Math.Max(1, building.Type.Footprint) * Geometry.Cell / 2;
        for (var ring = 0; ring < Rings; ring++)
        {
            var out_ = half + (Geometry.Cell / 2) + (ring * Geometry.Cell);
            if (Nearest(world, building, out_, x, y) is { } found)
            {
                return found;
            }
        }

        return (building.X, building.Y);
    }

    /// <summary>Moves units on the ground out of a new building's footprint.</summary>
    public static void Clear(GameWorld world, Unit building)
    {
        var half = building.Type.Footprint * Geometry.Cell / 2;
        foreach (var unit in world.Bins.Near(building.X, building.Y, half))
        {
            var moves = !unit.Type.Is(Kind.Structure) && !unit.Flying && unit.Present;
            if (moves && Math.Abs(unit.X - building.X) < half && Math.Abs(unit.Y - building.Y) < half)
            {
                (unit.X, unit.Y) = Beside(world, building, unit.X, unit.Y);
                unit.Way = null;
            }
        }
    }

    private static (int X, int Y)? Nearest(GameWorld world, Unit building, int reach, int x, int y)
    {
        (int X, int Y)? best = null;
        var least = long.MaxValue;
        var steps = (2 * reach / Geometry.Cell) + 1;
        for (var i = 0; i < steps; i++)
        {
            var along = -reach + (i * Geometry.Cell);
            Consider(building.X + along, building.Y - reach);
            Consider(building.X + along, building.Y + reach);
            Consider(building.X - reach, building.Y + along);
            Consider(building.X + reach, building.Y + along);
        }

        return best;

        void Consider(int atX, int atY)
        {
            var distance = ((long)(atX - x) * (atX - x)) + ((long)(atY - y) * (atY - y));
            if (distance < least && Walkable(world, atX, atY))
            {
                (best, least) = ((atX, atY), distance);
            }
        }
    }

    /// <summary>Whether the ground at a point is walkable now.</summary>
    public static bool Walkable(GameWorld world, int x, int y)
    {
        var (column, row) = (x / Geometry.Cell, y / Geometry.Cell);
        return x >= 0 && y >= 0 && column < world.Map.Width && row < world.Map.Height
            && world.Ground.Walkable((row * world.Map.Width) + column);
    }
}
