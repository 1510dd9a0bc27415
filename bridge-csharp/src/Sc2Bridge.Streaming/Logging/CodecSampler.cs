using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Measures encodings that no subscriber asked for, a frame at a time, on a thread of low priority and within a
/// <see cref="TimeBudget"/>. The caller need not wait, and may give a measurement up. The first frame only warms it up:
/// it would measure the JIT compiler, and use up the budget of half a minute. For one thread.
/// </summary>
internal sealed class CodecSampler : IDisposable
{
    private readonly object _lock = new();
    private readonly CodecProbe _probe;
    private readonly TimeBudget _budget;
    private Measurement? _current;
    private bool _waits;
    private bool _stop;

    /// <summary>Begins.</summary>
    public CodecSampler(CodecProbe probe, TimeProvider time)
    {
        (_probe, _budget) = (probe, new TimeBudget(time));
        new Thread(Run) { IsBackground = true, Name = "codec log", Priority = ThreadPriority.Lowest }.Start();
    }

    /// <summary>Begins to measure a frame, where there is time for it.</summary>
    /// <param name="before">The frame before it; null where there is none.</param>
    /// <param name="frame">The frame.</param>
    /// <param name="row">What is known of it.</param>
    /// <returns>Null where there is no time.</returns>
    public Measurement? TryBegin(ObservationFrame? before, ObservationFrame frame, StepRow row)
    {
        if (_current is { Row: null })
        {
            return null;
        }

        _budget.Spend(_current?.Taken ?? TimeSpan.Zero);
        _current = null;
        if (!_budget.Allows)
        {
            return null;
        }

        before?.Retain();
        frame.Retain();
        lock (_lock)
        {
            _current = new Measurement(before, frame, row);
            _waits = true;
            Monitor.Pulse(_lock);
            return _current;
        }
    }

    /// <summary>Ends when the frame that is measured is done; waits for nothing.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _stop = true;
            Monitor.Pulse(_lock);
        }
    }

    private void Run()
    {
        LowerPriority();
        ObservationFrame? last = null;
        while (Next() is { } next)
        {
            last = next.Measure(_probe, last);
        }
    }

    private Measurement? Next()
    {
        lock (_lock)
        {
            while (!_waits && !_stop)
            {
                Monitor.Wait(_lock);
            }

            if (_stop && _waits)
            {
                _current!.Release();
            }

            _waits = false;
            return _stop ? null : _current;
        }
    }

    // Linux takes no priorities from .NET; there each thread has a nice value of its own, see setpriority(2).
    private static void LowerPriority()
    {
        if (OperatingSystem.IsLinux())
        {
            const int process = 0, thisThread = 0, lowest = 19;
            _ = SetPriority(process, thisThread, lowest);
        }
    }

    [DllImport("libc", EntryPoint = "setpriority", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetPriority(int which, int who, int priority);

    /// <summary>One frame that is measured.</summary>
    internal sealed class Measurement(ObservationFrame? before, ObservationFrame frame, StepRow known)
    {
        private StepRow? _measured;
        private volatile bool _done;

        /// <summary>The row with what was measured; null while that is under way.</summary>
        public StepRow? Row => _done ? _measured ?? known : null;

        /// <summary>How long it took.</summary>
        public TimeSpan Taken { get; private set; }

        /// <summary>Measures, and releases the frames.</summary>
        /// <param name="probe">With what.</param>
        /// <param name="last">What it measured last; null: nothing, so that this only warms up, without figures.</param>
        /// <returns>The frame, held no more.</returns>
        public ObservationFrame Measure(CodecProbe probe, ObservationFrame? last)
        {
            var started = Stopwatch.GetTimestamp();
            if (before is not null && last is not null && before != last)
            {
                probe.Prepare(before);
            }

            var measured = probe.Measure(frame, known);
            if (last is not null)
            {
                (_measured, Taken) = (measured, Stopwatch.GetElapsedTime(started));
            }

            Release();
            _done = true;
            return frame;
        }

        /// <summary>Releases the frames.</summary>
        public void Release()
        {
            before?.Release();
            frame.Release();
        }
    }
}
