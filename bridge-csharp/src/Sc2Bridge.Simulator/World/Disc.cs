namespace Sc2Bridge.Simulator.World;

/// <summary>Discs of cells, by rows.</summary>
internal static class Disc
{
    private const int Largest = 24;

    private static readonly int[][] Made = [.. Enumerable.Range(0, Largest + 1).Select(Make)];

    /// <summary>For each row's distance from the middle, how many cells the disc reaches to either side.</summary>
    public static int[] HalfWidths(int radius) => Made[radius];

    private static int[] Make(int radius) =>
        [.. Enumerable.Range(0, radius + 1).Select(dy => (int)Math.Sqrt((radius * radius) - (dy * dy)))];
}
