namespace Sc2Bridge.Foxglove;

/// <summary>
/// The time of a playback: that of the game at speed "faster", of which a recording has one whatever pace it was played at.
/// </summary>
public static class GameTime
{
    private const double LoopsPerSecond = 22.4;
    private const double SecondNs = 1e9;

    // ControlRequest.rate: its most steps a second, as which "as fast as it goes" is told.
    private const double FastestHz = 10_000;

    /// <summary>A game loop's, in nanoseconds from the loop 0.</summary>
    public static ulong OfLoop(uint loop) => (ulong)Math.Round(loop * (SecondNs / LoopsPerSecond));

    /// <summary>The game loop at a time, or the last before it.</summary>
    public static uint LoopAt(ulong timeNs) => (uint)Math.Min(uint.MaxValue, Math.Floor((timeNs + 1d) * (LoopsPerSecond / SecondNs)));

    /// <summary>How many times as fast as the game's.</summary>
    /// <param name="hz">Steps a second; 0 for as fast as it goes.</param>
    /// <param name="loopsPerStep">Game loops in a step.</param>
    public static float SpeedOf(double hz, double loopsPerStep) =>
        (float)((hz == 0 ? FastestHz : hz) * loopsPerStep / LoopsPerSecond);

    /// <summary>Steps a second.</summary>
    /// <param name="speed">How many times as fast as the game's.</param>
    /// <param name="loopsPerStep">Game loops in a step.</param>
    public static double HzOf(float speed, double loopsPerStep) => speed * LoopsPerSecond / loopsPerStep;
}
