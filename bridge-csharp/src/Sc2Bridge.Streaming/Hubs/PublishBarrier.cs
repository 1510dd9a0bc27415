using System.Threading.Tasks.Sources;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Counts the subscriptions that hold back the publication under way, for its publisher to wait for. One object serves
/// every publication of a perspective, so waiting allocates nothing; a number keeps holds of an earlier one out.
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

    /// <summary>Whether anybody holds the publication back now.</summary>
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

    /// <summary>One more subscription holds the publication back, until it releases what it gets.</summary>
    public BarrierHold Hold()
    {
        lock (_lock)
        {
            _holds++;
            return new BarrierHold(this, _publication);
        }
    }

    /// <summary>Waits until nobody holds the publication back, or a time has passed since the first wait for it.</summary>
    /// <param name="deadline">That time; not longer than any that was waited for before.</param>
    /// <param name="ct">Gives up.</param>
    /// <returns>Whether nobody does; false where the time has passed.</returns>
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

    /// <summary>The publication is over, whoever still holds it.</summary>
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

    // Under the lock: of those who want to end a wait, the first does.
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

            // The timer of an earlier wait may call late, and a timer's clock is coarser than time stamps.
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

/// <summary>That a subscription holds a publication back; the default holds none.</summary>
/// <param name="Barrier">What its publisher waits at.</param>
/// <param name="Publication">Which of its publications.</param>
internal readonly record struct BarrierHold(PublishBarrier? Barrier, long Publication)
{
    /// <summary>Lets the publication go; once.</summary>
    /// <param name="inline">
    /// Whether the publisher may go on on this thread. A lockstep answer does that, to save a hop; a reader that makes
    /// room does not, as the publisher would fill its queue before it gets its own frame.
    /// </param>
    public void Release(bool inline) => Barrier?.Release(Publication, inline);
}
