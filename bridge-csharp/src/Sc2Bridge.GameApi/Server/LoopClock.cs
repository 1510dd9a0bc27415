namespace Sc2Bridge.GameApi;

/// <summary>The clock of real time: 22.4 game loops a second.</summary>
public sealed class LoopClock(TimeProvider time, int from)
{
    /// <summary>Speed "faster", the only one of the API's real time.</summary>
    public const double LoopsASecond = 22.4;

    private readonly long _started = time.GetTimestamp();

    /// <summary>The loop that should have been played by now.</summary>
    /// <remarks>
    /// A hundredth of a loop forward: a wait that ends on the very loop must not fall short of it by rounding.
    /// </remarks>
    public long Due => from + (long)((time.GetElapsedTime(_started).TotalSeconds * LoopsASecond) + 0.01);

    /// <summary>How long until a loop is due; never negative.</summary>
    public TimeSpan Until(long loop)
    {
        var left = TimeSpan.FromSeconds((loop - from) / LoopsASecond) - time.GetElapsedTime(_started);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }
}
