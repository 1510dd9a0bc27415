namespace Sc2Bridge.Streaming;

/// <summary>
/// The times at which steps are due: absolute, so that lateness does not add up. A late match catches up at no more
/// than twice the rate; one that is more than a second late does not catch up at all.
/// </summary>
/// <remarks>Values alone, no clock: times are nanoseconds of <see cref="Streaming.MonotonicClock"/>.</remarks>
public sealed class StepSchedule
{
    private const double LatestToCatchUpNs = 1e9;
    private readonly double _periodNs;
    private double _due;
    private double _last;

    /// <summary>A schedule whose first step is due a period after <paramref name="startNs"/>.</summary>
    public StepSchedule(double hz, long startNs)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(hz);
        _periodNs = 1e9 / hz;
        _due = startNs;
        _last = startNs;
    }

    /// <summary>When the next step is due, asked at <paramref name="nowNs"/>; advances the schedule.</summary>
    public long Next(long nowNs)
    {
        _due += _periodNs;
        if (nowNs - _due > LatestToCatchUpNs)
        {
            _due = nowNs;
        }

        _last = Math.Max(_due, _last + (_periodNs / 2));
        return (long)_last;
    }
}
