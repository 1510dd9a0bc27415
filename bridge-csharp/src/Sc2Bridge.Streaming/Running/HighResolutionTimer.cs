using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Streaming;

/// <summary>Waits for a moment more exactly than a timer does, without spinning.</summary>
/// <remarks>
/// A timer of .NET wakes up to some milliseconds late. So it is set for a little before, and the rest is slept by the
/// system's absolute sleep (Linux: about 0.06 ms late), or in the smallest sleeps there are elsewhere.
/// </remarks>
public static class HighResolutionTimer
{
    private const long CoarseMarginNs = 3_000_000;
    private const int ClockMonotonic = 1;
    private const int AbsoluteTime = 1;

    /// <summary>Waits.</summary>
    /// <param name="dueNs">The moment, in nanoseconds of <see cref="Streaming.MonotonicClock"/>.</param>
    /// <param name="ct">Gives up; the last 3 ms pass all the same.</param>
    public static async ValueTask UntilAsync(long dueNs, CancellationToken ct)
    {
        var coarse = dueNs - Streaming.MonotonicClock.NowNs - CoarseMarginNs;
        if (coarse > 0)
        {
            await Task.Delay(TimeSpan.FromTicks(coarse / 100), ct);
        }

        ct.ThrowIfCancellationRequested();
        while (Streaming.MonotonicClock.NowNs < dueNs)
        {
            // Both clocks are the same on Linux: Stopwatch reads CLOCK_MONOTONIC in nanoseconds.
            if (OperatingSystem.IsLinux() && Stopwatch.Frequency == 1_000_000_000 && nint.Size == 8)
            {
                var until = new TimeSpec { Seconds = dueNs / 1_000_000_000, Nanoseconds = dueNs % 1_000_000_000 };
                _ = Sleep(ClockMonotonic, AbsoluteTime, in until, 0);
            }
            else
            {
                Thread.Sleep(dueNs - Streaming.MonotonicClock.NowNs > 2_000_000 ? 1 : 0);
            }
        }
    }

    [DllImport("libc", EntryPoint = "clock_nanosleep", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Sleep(int clock, int flags, in TimeSpec until, nint remaining);

    private struct TimeSpec
    {
        internal long Seconds;
        internal long Nanoseconds;
    }
}
