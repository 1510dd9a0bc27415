namespace Sc2Bridge.Foxglove;

/// <summary>
/// The time of a playback: the game's time at the speed "faster". It does not depend on the pace of the recorded match.
/// </summary>
public static class GameTime
{
    private const double LoopsPerSecond = 22.4;
    private const double SecondNs = 1e9;

    // The limit of ControlRequest.rate in steps per second. Foxglove sees this rate for a playback without a limit.
    private const double FastestHz = 10_000;

    /// <summary>The time of a game loop, in nanoseconds after loop 0.</summary>
    public static ulong FromLoop(uint loop) => (ulong)Math.Round(loop * (SecondNs / LoopsPerSecond));

    /// <summary>The last game loop that starts at or before a time.</summary>
    public static uint LoopAt(ulong timeNs) => (uint)Math.Min(uint.MaxValue, Math.Floor((timeNs + 1d) * (LoopsPerSecond / SecondNs)));

    /// <summary>The speed as a factor of real time.</summary>
    /// <param name="hz">The steps per second; 0 for no rate limit.</param>
    /// <param name="loopsPerStep">The game loops in a step.</param>
    public static float SpeedOf(double hz, double loopsPerStep) =>
        (float)((hz == 0 ? FastestHz : hz) * loopsPerStep / LoopsPerSecond);

    /// <summary>The rate in steps per second.</summary>
    /// <param name="speed">The speed as a factor of real time.</param>
    /// <param name="loopsPerStep">The game loops in a step.</param>
    public static double HzOf(float speed, double loopsPerStep) => speed * LoopsPerSecond / loopsPerStep;
}
