namespace Sc2Bridge.Simulator.World;

/// <summary>Discs of cells, by rows.</summary>
/// <remarks>
/// As in the game, a cell belongs to a disc of radius r if its center is at most r + 1/2 from the center of the
/// unit's cell. In eight real messages, this rule gives the exact visibility at the start.
/// </remarks>
internal static class Disc
{
    private const int Largest = 24;

    private static readonly int[][] Made = [.. Enumerable.Range(0, Largest + 1).Select(Make)];

    /// <summary>For each row, by its distance from the center: how many cells the disc extends to either side.</summary>
    public static int[] HalfWidths(int radius) => Made[radius];

    private static int[] Make(int radius) =>
        [.. Enumerable.Range(0, radius + 1).Select(dy =>
            (int)Math.Sqrt((((2 * radius) + 1) * ((2 * radius) + 1)) - (4 * dy * dy)) / 2)];
}
