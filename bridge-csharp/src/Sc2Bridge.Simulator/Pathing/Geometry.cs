namespace Sc2Bridge.Simulator.Pathing;

/// <summary>Integer geometry in 1/4096 of a cell, so that every machine computes the same result.</summary>
internal static class Geometry
{
    /// <summary>Parts of a cell. The game's own positions are multiples of 1/4096.</summary>
    public const int Cell = 4096;

    /// <summary>Parts of a full turn in <see cref="Direction"/>.</summary>
    public const int Turn = 65536;

    /// <summary>The distance between two points, rounded down.</summary>
    /// <param name="dx">Their distance along x.</param>
    /// <param name="dy">Their distance along y.</param>
    public static int Length(int dx, int dy)
    {
        // IEEE 754 rounds the square root of a double exactly, so the result is the same everywhere.
        return (int)Math.Sqrt(((double)dx * dx) + ((double)dy * dy));
    }

    /// <summary>The direction of a vector in 1/65536 of a turn: 0 along x, counterclockwise.</summary>
    /// <param name="dx">The vector's x.</param>
    /// <param name="dy">The vector's y.</param>
    /// <remarks>The error is at most 0.22 degrees. Directions are only shown: no movement depends on them.</remarks>
    public static int Direction(int dx, int dy)
    {
        long ax = Math.Abs((long)dx);
        long ay = Math.Abs((long)dy);
        if (ax == 0 && ay == 0)
        {
            return 0;
        }

        // atan(a) = 45 degrees * a + 15.6 degrees * a * (1 - a), a in 1/32768, for the octant next to the x axis.
        var a = Math.Min(ax, ay) * 32768 / Math.Max(ax, ay);
        var angle = ((a * 8192) + (a * (32768 - a) / 32768 * 2847)) / 32768;
        angle = ay > ax ? (Turn / 4) - angle : angle;
        angle = dx < 0 ? (Turn / 2) - angle : angle;
        angle = dy < 0 ? Turn - angle : angle;
        return (int)(angle % Turn);
    }
}
