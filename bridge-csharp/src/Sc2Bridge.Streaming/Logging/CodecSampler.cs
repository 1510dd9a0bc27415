using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Measures encodings that no subscriber asked for, one frame at a time, on a thread of low priority and within a <see
/// cref="TimeBudget"/>. The caller need not wait for a measurement. The first frame is only a warm-up: its time would
/// include the work of the JIT compiler, and would use up the budget of half a minute. Not thread-safe.
/// </summary>
internal sealed class CodecSampler : IDisposable
{
    private readonly object _lock = new();
    private readonly CodecProbe _probe;
    private readonly TimeBudget _budget;
    private Measurement? _current;
    private bool _hasWork;
    private bool _isStopping;

    /// <summary>Starts the thread.</summary>
    public CodecSampler(CodecProbe probe, TimeProvider time)
    {
        (_probe, _budget) = (probe, new TimeBudget(time));
        new Thread(Run) { IsBackground = true, Name = "codec log", Priority = ThreadPriority.Lowest }.Start();
    }

    /// <summary>Starts to measure a frame if the budget allows it.</summary>
    /// <param name="before">The previous frame; null for the first.</param>
    /// <param name="frame">The frame.</param>
    /// <param name="row">The known values of the frame's row.</param>
    /// <returns>The measurement; null if the budget does not allow a measurement, or if the previous measurement is not complete.</returns>
    public Measurement? TryBegin(ObservationFrame? before, ObservationFrame frame, StepRow row)
    {
        if (_current is { Row: null })
        {
            return null;
        }

        _budget.Spend(_current?.Elapsed ?? TimeSpan.Zero);
        _current = null;
        if (!_budget.CanStart)
        {
            return null;
        }

        before?.Retain();
        frame.Retain();
        lock (_lock)
        {
            _current = new Measurement(before, frame, row);
            _hasWork = true;
            Monitor.Pulse(_lock);
            return _current;
        }
    }

    /// <summary>Stops the thread after the current frame, without waiting for it.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _isStopping = true;
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
            while (!_hasWork && !_isStopping)
            {
                Monitor.Wait(_lock);
            }

            if (_isStopping && _hasWork)
            {
                _current!.Release();
            }

            _hasWork = false;
            return _isStopping ? null : _current;
        }
    }

    // On Linux, .NET does not set thread priorities. But each Linux thread has its own nice value: see setpriority(2).
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

    /// <summary>The measurement of one frame.</summary>
    internal sealed class Measurement(ObservationFrame? before, ObservationFrame frame, StepRow known)
    {
        private StepRow? _measured;
        private volatile bool _isDone;

        /// <summary>The row with the measured values; null until the measurement is complete.</summary>
        public StepRow? Row => _isDone ? _measured ?? known : null;

        /// <summary>How long the measurement took.</summary>
        public TimeSpan Elapsed { get; private set; }

        /// <summary>Measures the frame, and releases both frames.</summary>
        /// <param name="probe">Measures.</param>
        /// <param name="last">The frame measured last. Null for the first frame, which only warms up and gives no figures.</param>
        /// <returns>The measured frame. It was already released, so the caller may only compare it with other frames.</returns>
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
                (_measured, Elapsed) = (measured, Stopwatch.GetElapsedTime(started));
            }

            Release();
            _isDone = true;
            return frame;
        }

        public void Release()
        {
            before?.Release();
            frame.Release();
        }
    }
}
