namespace Sc2Bridge.Simulator.World;

/// <summary>Discs of cells, by rows.</summary>
/// <remarks>
/// As the game has it: a cell belongs to a disc of radius r if its middle is at most r + 1/2 from the middle of the
/// unit's cell. In eight real messages that gives every cell of a start's visibility.
/// </remarks>
internal static class Disc
{
    private const int Largest = 24;

    private static readonly int[][] Made = [.. Enumerable.Range(0, Largest + 1).Select(Make)];

    /// <summary>For each row's distance from the middle, how many cells the disc reaches to either side.</summary>
    public static int[] HalfWidths(int radius) => Made[radius];

    private static int[] Make(int radius) =>
        [.. Enumerable.Range(0, radius + 1).Select(dy =>
            (int)Math.Sqrt((((2 * radius) + 1) * ((2 * radius) + 1)) - (4 * dy * dy)) / 2)];
}
