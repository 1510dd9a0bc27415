namespace Sc2Bridge.Streaming;

/// <summary>
/// Sums up what making the other forms of frames (text, columns, compressed ones) takes, of the frames that carry it
/// (<see cref="ObservationFrame.Clock"/>). Thread-safe.
/// </summary>
public sealed class EncodingClock
{
    // One form is made of another: only the outermost counts.
    [ThreadStatic]
    private static bool _runs;

    private long _elapsedNs;

    /// <summary>The sum, in nanoseconds.</summary>
    public long ElapsedNs => Interlocked.Read(ref _elapsedNs);

    /// <summary>Counts on a frame's clock, where it has one, until the lap is disposed, on the same thread.</summary>
    /// <param name="frame">Of which something is made.</param>
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

    /// <summary>A stretch of time that counts; none where it is the default.</summary>
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
