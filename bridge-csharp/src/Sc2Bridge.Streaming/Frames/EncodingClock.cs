namespace Sc2Bridge.Streaming;

/// <summary>
/// Sums up the time that encoding takes (text, columns, compression), for the frames that carry this clock
/// (<see cref="ObservationFrame.Clock"/>). Thread-safe.
/// </summary>
public sealed class EncodingClock
{
    // One encoding may be made of another: only the outermost is timed.
    [ThreadStatic]
    private static bool _runs;

    private long _elapsedNs;

    /// <summary>The sum, in nanoseconds.</summary>
    public long ElapsedNs => Interlocked.Read(ref _elapsedNs);

    /// <summary>Times on a frame's clock, if it has one, until the lap is disposed on the same thread.</summary>
    /// <param name="frame">The frame that is encoded.</param>
    public static Lap Run(ObservationFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        if (frame.Clock is not { } clock || _runs)
        {
            return default;
        }

        _runs = true;
        return new Lap(clock, MonotonicClock.NowNs);
    }

    /// <summary>A stretch of time that is added to a clock; the default value adds nothing.</summary>
    /// <param name="clock">On which clock.</param>
    /// <param name="startedNs">When it began.</param>
    public readonly ref struct Lap(EncodingClock clock, long startedNs)
    {
        /// <summary>Ends it; once.</summary>
        public void Dispose()
        {
            if (clock is not null)
            {
                _runs = false;
                Interlocked.Add(ref clock._elapsedNs, MonotonicClock.NowNs - startedNs);
            }
        }
    }
}
