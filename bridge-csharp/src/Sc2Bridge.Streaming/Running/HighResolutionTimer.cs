using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Waits for a point in time more exactly than a normal timer, without spinning. The timer sleeps on its own thread, and the waiting
/// task continues on this thread. So no thread of the pool or of a transport sleeps. Only one wait may be pending at a time.
/// </summary>
/// <remarks>
/// A timed wait in .NET ends up to several milliseconds late, so the thread uses such a wait only until 3 ms before the due time. Then
/// the thread sleeps: on Linux until the absolute time (about 0.06 ms late), on other systems in the shortest possible
/// intervals. The thread ends after five seconds without waits.
/// </remarks>
internal sealed class HighResolutionTimer
{
    private const long CoarseMarginNs = 3_000_000;
    private const int IdleMs = 5_000;
    private const int ClockMonotonic = 1;
    private const int AbsoluteTime = 1;

    private readonly object _lock = new();
    private Wait? _wait;
    private bool _isRunning;

    /// <summary>Waits until a point in time.</summary>
    /// <param name="dueNs">The point in time, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    /// <param name="ct">Cancels the wait.</param>
    /// <exception cref="InvalidOperationException">Another wait is pending.</exception>
    public async ValueTask WaitUntilAsync(long dueNs, CancellationToken ct)
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
                throw new InvalidOperationException("Another wait is pending: await it first.");
            }

            _wait = wait;
            Monitor.Pulse(_lock);
            if (!_isRunning)
            {
                _isRunning = true;
                new Thread(Run) { IsBackground = true, Name = "pace" }.Start();
            }
        }

        using var registration = ct.UnsafeRegister(static timer => ((HighResolutionTimer)timer!).Cancel(), this);
        await wait.Completion.Task.ConfigureAwait(false);
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
        while (NextWait() is { } wait)
        {
            if (!wait.IsCancelled)
            {
                SleepUntil(wait.DueNs);
            }

            lock (_lock)
            {
                _wait = null;
            }

            wait.Completion.SetResult();
        }
    }

    // Returns the next wait shortly before the wait is due, or when it is cancelled. Returns null if no wait came for five seconds.
    private Wait? NextWait()
    {
        lock (_lock)
        {
            while (true)
            {
                if (_wait is null)
                {
                    if (!Monitor.Wait(_lock, IdleMs) && _wait is null)
                    {
                        _isRunning = false;
                        return null;
                    }

                    continue;
                }

                var remainingNs = _wait.DueNs - CoarseMarginNs - MonotonicClock.NowNs;
                if (remainingNs <= 0 || _wait.IsCancelled)
                {
                    return _wait;
                }

                Monitor.Wait(_lock, (int)Math.Min((remainingNs / 1_000_000) + 1, int.MaxValue));
            }
        }
    }

    private static void SleepUntil(long dueNs)
    {
        while (MonotonicClock.NowNs < dueNs)
        {
            // On Linux, the time of Stopwatch can be passed to the system: Stopwatch reads CLOCK_MONOTONIC in nanoseconds.
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

        // The task that awaits this object continues on the timer's thread.
        public TaskCompletionSource Completion { get; } = new();
    }
}
