using System.Diagnostics;

namespace Sc2Bridge.Streaming;

/// <summary>The clock of every time stamp. On Linux it is CLOCK_MONOTONIC, which Python's time.monotonic_ns() also reads.</summary>
public static class MonotonicClock
{
    /// <summary>Nanoseconds since an arbitrary moment.</summary>
    public static long NowNs => Stopwatch.Frequency == 1_000_000_000
        ? Stopwatch.GetTimestamp()
        : (long)((Int128)Stopwatch.GetTimestamp() * 1_000_000_000 / Stopwatch.Frequency);
}
