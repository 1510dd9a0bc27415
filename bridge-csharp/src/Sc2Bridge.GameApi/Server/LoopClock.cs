namespace Sc2Bridge.GameApi;

/// <summary>The clock of real time: 22.4 game loops a second.</summary>
public sealed class LoopClock(TimeProvider time, int startLoop)
{
    /// <summary>The speed "faster", the only speed of the API's real time.</summary>
    public const double LoopsPerSecond = 22.4;

    private readonly long _started = time.GetTimestamp();

    /// <summary>The last game loop that is due now.</summary>
    /// <remarks>
    /// A hundredth of a loop is added, because a wait with a rounded time could end just before the loop is due.
    /// </remarks>
    public long DueLoop => startLoop + (long)((time.GetElapsedTime(_started).TotalSeconds * LoopsPerSecond) + 0.01);

    /// <summary>Returns the time until a loop is due; never negative.</summary>
    public TimeSpan TimeUntil(long loop)
    {
        var remaining = TimeSpan.FromSeconds((loop - startLoop) / LoopsPerSecond) - time.GetElapsedTime(_started);
        return remaining > TimeSpan.Zero ? remaining : TimeSpan.Zero;
    }
}
