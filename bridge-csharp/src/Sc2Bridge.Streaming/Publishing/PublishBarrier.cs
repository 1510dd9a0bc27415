using System.Threading.Tasks.Sources;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What a publisher awaits: how many subscribers still hold back the current publication. One object serves every
/// publication, so waiting allocates nothing; a generation number keeps answers of an earlier one out.
/// </summary>
internal sealed class PublishBarrier : IValueTaskSource, IDisposable
{
    private readonly Lock _lock = new();
    private readonly TimeProvider _time;
    private readonly Action<long, TimeSpan> _deadlinePassed;
    private readonly ITimer _timer;
    private ManualResetValueTaskSourceCore<bool> _core;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private long _generation;
    private long _started;
    private TimeSpan _sooner;
    private TimeSpan _later;
    private int _pending;

    /// <param name="time">The deadlines' clock.</param>
    /// <param name="deadlinePassed">Called with the generation, and which of its deadlines has passed.</param>
    public PublishBarrier(TimeProvider time, Action<long, TimeSpan> deadlinePassed)
    {
        _time = time;
        _deadlinePassed = deadlinePassed;
        _timer = _time.CreateTimer(
            static state => ((PublishBarrier)state!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Opens a publication, which the publisher itself holds back until <see cref="WaitAsync"/>.</summary>
    /// <exception cref="InvalidOperationException">Another is under way.</exception>
    public long Begin()
    {
        lock (_lock)
        {
            if (_pending > 0)
            {
                throw new InvalidOperationException(
                    "Another frame is being published: await PublishAsync before publishing the next one.");
            }

            _pending = 1;
            _sooner = _later = Timeout.InfiniteTimeSpan;
            _core.Reset();
            return ++_generation;
        }
    }

    /// <summary>One more subscriber holds the publication back; only between Begin and WaitAsync.</summary>
    /// <param name="deadline">For how long at most; of one publication there are two different ones at most.</param>
    public void Add(TimeSpan deadline)
    {
        lock (_lock)
        {
            _pending++;
            if (deadline == Timeout.InfiniteTimeSpan || deadline == _sooner || deadline == _later)
            {
                return;
            }

            (_sooner, _later) = _sooner == Timeout.InfiniteTimeSpan ? (deadline, _later)
                : deadline < _sooner ? (deadline, _sooner)
                : (_sooner, deadline);
        }
    }

    /// <summary>A subscriber holds the publication back no longer.</summary>
    /// <param name="generation">What <see cref="Begin"/> returned.</param>
    /// <param name="inline">
    /// Whether the publisher may go on on this thread. A lockstep answer does that, to save a hop; a reader that makes
    /// room does not, as the publisher would fill its queue before it gets its own frame.
    /// </param>
    public void Resolve(long generation, bool inline)
    {
        lock (_lock)
        {
            if (generation != _generation || _pending == 0 || --_pending > 0)
            {
                return;
            }

            StopTimer();
        }

        _core.RunContinuationsAsynchronously = !inline;
        _core.SetResult(true);
    }

    /// <summary>The publisher has offered the frame to all: completes when nobody holds it back.</summary>
    public ValueTask WaitAsync(CancellationToken ct)
    {
        short version;
        lock (_lock)
        {
            if (--_pending == 0)
            {
                return ValueTask.CompletedTask;
            }

            version = _core.Version;
            if (_sooner != Timeout.InfiniteTimeSpan)
            {
                _started = _time.GetTimestamp();
                _timer.Change(_sooner, Timeout.InfiniteTimeSpan);
            }
        }

        _token = ct;
        _registration = ct.UnsafeRegister(static state => ((PublishBarrier)state!).OnCancelled(), this);
        return new ValueTask(this, version);
    }

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();

    void IValueTaskSource.GetResult(short token)
    {
        _registration.Dispose();
        _registration = default;
        _core.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private void StopTimer()
    {
        if (_sooner != Timeout.InfiniteTimeSpan)
        {
            _sooner = Timeout.InfiniteTimeSpan;
            _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
    }

    private void OnTimer()
    {
        long generation;
        TimeSpan passed;
        lock (_lock)
        {
            if (_pending == 0 || _sooner == Timeout.InfiniteTimeSpan)
            {
                return;
            }

            // The timer of an earlier publication may call late, and a timer's clock is coarser than time stamps.
            var left = _sooner - _time.GetElapsedTime(_started);
            if (left > TimeSpan.Zero)
            {
                _timer.Change(left + TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan);
                return;
            }

            (generation, passed) = (_generation, _sooner);
            (_sooner, _later) = (_later, Timeout.InfiniteTimeSpan);
            if (_sooner != Timeout.InfiniteTimeSpan)
            {
                _timer.Change(_sooner - passed, Timeout.InfiniteTimeSpan);
            }
        }

        _deadlinePassed(generation, passed);
    }

    private void OnCancelled()
    {
        lock (_lock)
        {
            if (_pending == 0)
            {
                return;
            }

            _pending = 0;
            StopTimer();
        }

        _core.RunContinuationsAsynchronously = true;
        _core.SetException(new OperationCanceledException(_token));
    }
}
