namespace Sc2Bridge.Streaming;

/// <summary>
/// The times at which steps are due. These times are absolute, so delays do not add up. A late match catches up at no more than
/// twice the rate. A match that is more than one second late does not catch up.
/// </summary>
/// <remarks>Reads no clock: times are parameters, in nanoseconds of <see cref="Streaming.MonotonicClock"/>.</remarks>
public sealed class StepSchedule
{
    private const double MaxCatchUpNs = 1e9;
    private readonly double _periodNs;
    private double _scheduledNs;
    private double _lastReturnedNs;

    /// <summary>Creates a schedule. The first step is due one period after <paramref name="startNs"/>.</summary>
    public StepSchedule(double hz, long startNs)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(hz);
        _periodNs = 1e9 / hz;
        _scheduledNs = startNs;
        _lastReturnedNs = startNs;
    }

    /// <summary>Returns when the next step is due, and advances the schedule. <paramref name="nowNs"/> is the current time.</summary>
    public long Next(long nowNs)
    {
        _scheduledNs += _periodNs;
        if (nowNs - _scheduledNs > MaxCatchUpNs)
        {
            _scheduledNs = nowNs;
        }

        _lastReturnedNs = Math.Max(_scheduledNs, _lastReturnedNs + (_periodNs / 2));
        return (long)_lastReturnedNs;
    }
}
