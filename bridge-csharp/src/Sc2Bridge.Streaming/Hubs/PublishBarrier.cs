using System.Threading.Tasks.Sources;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Counts the subscriptions that hold back the current publication; its publisher waits here. One object serves every
/// publication of a perspective, so waiting allocates nothing; a number tells holds of earlier publications apart.
/// </summary>
internal sealed class PublishBarrier : IValueTaskSource<bool>, IDisposable
{
    private readonly Lock _lock = new();
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private ManualResetValueTaskSourceCore<bool> _core;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private TimeSpan _deadline;
    private long _publication;
    private long? _started;
    private int _holds;
    private bool _open;
    private bool _waiting;

    public PublishBarrier(TimeProvider time)
    {
        _time = time;
        _timer = time.CreateTimer(
            static barrier => ((PublishBarrier)barrier!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Whether any subscription holds the publication back.</summary>
    public bool IsHeld => Volatile.Read(ref _holds) > 0;

    /// <summary>A publication begins.</summary>
    /// <exception cref="InvalidOperationException">Another is under way.</exception>
    public void Begin()
    {
        lock (_lock)
        {
            if (_open)
            {
                throw new InvalidOperationException(
                    "Another frame is being published: await PublishAsync before publishing the next one.");
            }

            _open = true;
            _holds = 0;
            _started = null;
            _publication++;
        }
    }

    /// <summary>Holds the publication back until the caller releases the hold.</summary>
    public BarrierHold Hold()
    {
        lock (_lock)
        {
            _holds++;
            return new BarrierHold(this, _publication);
        }
    }

    /// <summary>
    /// Waits until every hold is released, or a time has passed since the first wait for this publication.
    /// </summary>
    /// <param name="deadline">That time; no shorter than that of the wait before.</param>
    /// <param name="ct">Gives up.</param>
    /// <returns>Whether every hold is released; false where the time has passed.</returns>
    public ValueTask<bool> WaitAsync(TimeSpan deadline, CancellationToken ct)
    {
        short version;
        lock (_lock)
        {
            if (_holds == 0)
            {
                return new ValueTask<bool>(true);
            }

            _core.Reset();
            version = _core.Version;
            _waiting = true;
            _deadline = deadline;
            _started ??= _time.GetTimestamp();
            if (deadline != Timeout.InfiniteTimeSpan)
            {
                var left = deadline - _time.GetElapsedTime(_started.Value);
                _timer.Change(left > TimeSpan.Zero ? left : TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            }
        }

        _token = ct;
        _registration = ct.UnsafeRegister(static barrier => ((PublishBarrier)barrier!).OnCancelled(), this);
        return new ValueTask<bool>(this, version);
    }

    /// <summary>The publication is over, even if it is still held.</summary>
    public void End()
    {
        lock (_lock)
        {
            _open = false;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();

    /// <summary>See <see cref="BarrierHold.Release"/>.</summary>
    internal void Release(long publication, bool inline)
    {
        lock (_lock)
        {
            if (publication != _publication || --_holds > 0 || !StopWaiting())
            {
                return;
            }
        }

        _core.RunContinuationsAsynchronously = !inline;
        _core.SetResult(true);
    }

    bool IValueTaskSource<bool>.GetResult(short token)
    {
        _registration.Dispose();
        _registration = default;
        return _core.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    // Under the lock: the first call ends the wait, and gets true.
    private bool StopWaiting()
    {
        var waited = _waiting;
        _waiting = false;
        if (waited && _deadline != Timeout.InfiniteTimeSpan)
        {
            _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        return waited;
    }

    private void OnTimer()
    {
        lock (_lock)
        {
            if (!_waiting || _deadline == Timeout.InfiniteTimeSpan)
            {
                return;
            }

            // The timer of an earlier wait may fire late, and a timer's clock is coarser than time stamps.
            var left = _deadline - _time.GetElapsedTime(_started!.Value);
            if (left > TimeSpan.Zero)
            {
                _timer.Change(left + TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan);
                return;
            }

            StopWaiting();
        }

        _core.RunContinuationsAsynchronously = false;
        _core.SetResult(false);
    }

    private void OnCancelled()
    {
        lock (_lock)
        {
            if (!StopWaiting())
            {
                return;
            }
        }

        _core.RunContinuationsAsynchronously = true;
        _core.SetException(new OperationCanceledException(_token));
    }
}

/// <summary>One subscription's hold on a publication; the default value holds none.</summary>
/// <param name="Barrier">Where the publisher waits.</param>
/// <param name="Publication">Which of the barrier's publications.</param>
internal readonly record struct BarrierHold(PublishBarrier? Barrier, long Publication)
{
    /// <summary>Releases the hold; call it once.</summary>
    /// <param name="inline">
    /// Whether the publisher may continue on this thread. A lockstep answer allows it, to save a hop between threads; a
    /// reader that makes room does not, as the publisher would fill its queue before the reader gets its own frame.
    /// </param>
    public void Release(bool inline) => Barrier?.Release(Publication, inline);
}
