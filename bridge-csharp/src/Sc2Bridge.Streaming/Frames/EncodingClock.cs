namespace Sc2Bridge.Streaming;

/// <summary>
/// Sums the time of encoding (text, columns, compression) over all frames whose <see cref="ObservationFrame.Clock"/> is
/// this clock. Thread-safe.
/// </summary>
public sealed class EncodingClock
{
    // An encoding may be built from another encoding. Only the outermost encoding is timed, because its time includes the inner ones.
    [ThreadStatic]
    private static bool _isTiming;

    private long _elapsedNs;

    /// <summary>The total, in nanoseconds.</summary>
    public long ElapsedNs => Interlocked.Read(ref _elapsedNs);

    /// <summary>Starts timing on the frame's clock, if it has one. Dispose the lap on the same thread to stop.</summary>
    /// <param name="frame">The frame that is encoded.</param>
    public static Lap StartLap(ObservationFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        if (frame.Clock is not { } clock || _isTiming)
        {
            return default;
        }

        _isTiming = true;
        return new Lap(clock, MonotonicClock.NowNs);
    }

    /// <summary>A running measurement. Disposing the lap adds the elapsed time to the clock. The default value adds nothing.</summary>
    /// <param name="clock">The clock.</param>
    /// <param name="startedNs">The start, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    public readonly ref struct Lap(EncodingClock clock, long startedNs)
    {
        /// <summary>Ends the lap. Call it once.</summary>
        public void Dispose()
        {
            if (clock is not null)
            {
                _isTiming = false;
                Interlocked.Add(ref clock._elapsedNs, MonotonicClock.NowNs - startedNs);
            }
        }
    }
}
