namespace Sc2Bridge.Native;

/// <summary>
/// The sine and cosine of each direction that the simulated game has. The last bit of a sine depends on the library that computes
/// it, so the caller can give a table of its own.
/// </summary>
internal static class Sines
{
    /// <summary>The number of directions. Direction i is <c>i · (2π / Count)</c> radians.</summary>
    public const int Count = 65536;

    private const float Unit = MathF.Tau / Count;

    /// <summary>Sines, then cosines, as .NET computes them.</summary>
    public static float[] Usual { get; } =
        [.. Enumerable.Range(0, Count).Select(i => MathF.Sin(Facing(i))), .. Enumerable.Range(0, Count).Select(i => MathF.Cos(Facing(i)))];

    /// <summary>A direction in radians, as in observations.</summary>
    public static float Facing(int direction) => direction * Unit;

    /// <summary>The index of a direction.</summary>
    /// <exception cref="InvalidOperationException">The game has no such direction.</exception>
    public static int IndexOf(float facing)
    {
        var index = (int)MathF.Round(facing / Unit);
        return index is >= 0 and < Count && Facing(index) == facing
            ? index
            : throw new InvalidOperationException($"the facing {facing} is not one of the game's {Count} directions");
    }
}
