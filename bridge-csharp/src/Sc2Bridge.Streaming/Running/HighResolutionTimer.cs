using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Waits for a moment more exactly than a timer does, without spinning, on a thread of its own: the waiting task
/// continues there, and no thread of the pool or of a transport sleeps. One wait at a time.
/// </summary>
/// <remarks>
/// A timed wait of .NET ends up to some milliseconds late. So it is set to end a little early, and the rest is slept by
/// the system's absolute sleep (Linux: about 0.06 ms late), or elsewhere in the smallest sleeps there are. The thread
/// ends when it was not needed for a while.
/// </remarks>
internal sealed class HighResolutionTimer
{
    private const long CoarseMarginNs = 3_000_000;
    private const int IdleMs = 5_000;
    private const int ClockMonotonic = 1;
    private const int AbsoluteTime = 1;

    private readonly object _lock = new();
    private Wait? _wait;
    private bool _runs;

    /// <summary>Waits.</summary>
    /// <param name="dueNs">The moment, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="InvalidOperationException">Another wait is pending.</exception>
    public async ValueTask UntilAsync(long dueNs, CancellationToken ct)
    {
        ct.ThrowIfCancellationRequested();
        if (MonotonicClock.NowNs >= dueNs)
        {
            return;
        }

        var wait = new Wait(dueNs);
        lock (_lock)
        {
            if (_wait is not null)
            {
                throw new InvalidOperationException("Somebody waits for the timer already.");
            }

            _wait = wait;
            Monitor.Pulse(_lock);
            if (!_runs)
            {
                _runs = true;
                new Thread(Run) { IsBackground = true, Name = "pace" }.Start();
            }
        }

        using var registration = ct.UnsafeRegister(static timer => ((HighResolutionTimer)timer!).Cancel(), this);
        await wait.Over.Task.ConfigureAwait(false);
        ct.ThrowIfCancellationRequested();
    }

    private void Cancel()
    {
        lock (_lock)
        {
            if (_wait is { } wait)
            {
                wait.IsCancelled = true;
                Monitor.Pulse(_lock);
            }
        }
    }

    private void Run()
    {
        while (Take() is { } wait)
        {
            if (!wait.IsCancelled)
            {
                SleepUntil(wait.DueNs);
            }

            lock (_lock)
            {
                _wait = null;
            }

            wait.Over.SetResult();
        }
    }

    // The next wait, shortly before it is due; null where none came for a while.
    private Wait? Take()
    {
        lock (_lock)
        {
            while (true)
            {
                if (_wait is null)
                {
                    if (!Monitor.Wait(_lock, IdleMs) && _wait is null)
                    {
                        _runs = false;
                        return null;
                    }

                    continue;
                }

                var left = _wait.DueNs - CoarseMarginNs - MonotonicClock.NowNs;
                if (left <= 0 || _wait.IsCancelled)
                {
                    return _wait;
                }

                Monitor.Wait(_lock, (int)Math.Min((left / 1_000_000) + 1, int.MaxValue));
            }
        }
    }

    private static void SleepUntil(long dueNs)
    {
        while (MonotonicClock.NowNs < dueNs)
        {
            // Both clocks are the same on Linux: Stopwatch reads CLOCK_MONOTONIC in nanoseconds.
            if (OperatingSystem.IsLinux() && Stopwatch.Frequency == 1_000_000_000 && nint.Size == 8)
            {
                var until = new TimeSpec { Seconds = dueNs / 1_000_000_000, Nanoseconds = dueNs % 1_000_000_000 };
                _ = Sleep(ClockMonotonic, AbsoluteTime, in until, 0);
            }
            else
            {
                Thread.Sleep(dueNs - MonotonicClock.NowNs > 2_000_000 ? 1 : 0);
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

    private sealed class Wait(long dueNs)
    {
        public long DueNs => dueNs;

        public bool IsCancelled { get; set; }

        // The waiting task continues on the timer's thread.
        public TaskCompletionSource Over { get; } = new();
    }
}
