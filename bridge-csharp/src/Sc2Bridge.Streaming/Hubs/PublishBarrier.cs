using System.Threading.Tasks.Sources;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The publisher waits here for the subscriptions that delay the current publication. Each such subscription has a
/// hold. One object serves all publications of a perspective, so waiting allocates nothing. A hold has the number of
/// its publication, so that a release that comes too late does not change the next publication.
/// </summary>
internal sealed class PublishBarrier : IValueTaskSource<bool>, IDisposable
{
    private readonly Lock _lock = new();
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private ManualResetValueTaskSourceCore<bool> _waitSource;
    private CancellationTokenRegistration _registration;
    private CancellationToken _cancellationToken;
    private TimeSpan _deadline;
    private long _publicationNumber;
    private long? _waitStarted;
    private int _holdCount;
    private bool _isPublishing;
    private bool _isWaiting;

    public PublishBarrier(TimeProvider time)
    {
        _time = time;
        _timer = time.CreateTimer(
            static barrier => ((PublishBarrier)barrier!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Whether any subscription delays the publication.</summary>
    public bool IsHeld => Volatile.Read(ref _holdCount) > 0;

    /// <summary>Starts a publication.</summary>
    /// <exception cref="InvalidOperationException">Another publication is in progress.</exception>
    public void BeginPublication()
    {
        lock (_lock)
        {
            if (_isPublishing)
            {
                throw new InvalidOperationException(
                    "Another frame is being published: await PublishAsync before publishing the next one.");
            }

            _isPublishing = true;
            _holdCount = 0;
            _waitStarted = null;
            _publicationNumber++;
        }
    }

    /// <summary>Adds a hold. The publication waits until the caller releases it.</summary>
    public BarrierHold AddHold()
    {
        lock (_lock)
        {
            _holdCount++;
            return new BarrierHold(this, _publicationNumber);
        }
    }

    /// <summary>Waits until every hold of this publication is released, but not longer than the deadline.</summary>
    /// <param name="deadline">The maximum time since this publication's first wait began. It must not be shorter than in the previous wait.</param>
    /// <param name="ct">Cancels the wait.</param>
    /// <returns>True if every hold is released; false if the deadline has passed.</returns>
    public ValueTask<bool> WaitAsync(TimeSpan deadline, CancellationToken ct)
    {
        short version;
        lock (_lock)
        {
            if (_holdCount == 0)
            {
                return new ValueTask<bool>(true);
            }

            _waitSource.Reset();
            version = _waitSource.Version;
            _isWaiting = true;
            _deadline = deadline;
            _waitStarted ??= _time.GetTimestamp();
            if (deadline != Timeout.InfiniteTimeSpan)
            {
                var remaining = deadline - _time.GetElapsedTime(_waitStarted.Value);
                _timer.Change(remaining > TimeSpan.Zero ? remaining : TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            }
        }

        _cancellationToken = ct;
        _registration = ct.UnsafeRegister(static barrier => ((PublishBarrier)barrier!).OnCancelled(), this);
        return new ValueTask<bool>(this, version);
    }

    /// <summary>Ends the publication, even if holds remain.</summary>
    public void EndPublication()
    {
        lock (_lock)
        {
            _isPublishing = false;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();

    /// <summary>See <see cref="BarrierHold.Release"/>.</summary>
    internal void ReleaseHold(long publication, bool inline)
    {
        lock (_lock)
        {
            if (publication != _publicationNumber || --_holdCount > 0 || !StopWaiting())
            {
                return;
            }
        }

        _waitSource.RunContinuationsAsynchronously = !inline;
        _waitSource.SetResult(true);
    }

    bool IValueTaskSource<bool>.GetResult(short token)
    {
        _registration.Dispose();
        _registration = default;
        return _waitSource.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _waitSource.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _waitSource.OnCompleted(continuation, state, token, flags);

    // Call it under the lock. Only the first call ends the wait and returns true.
    private bool StopWaiting()
    {
        var waited = _isWaiting;
        _isWaiting = false;
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
            if (!_isWaiting || _deadline == Timeout.InfiniteTimeSpan)
            {
                return;
            }

            // The time is checked again: the timer of an earlier wait may fire late, and a timer's clock is coarser than time stamps.
            var remaining = _deadline - _time.GetElapsedTime(_waitStarted!.Value);
            if (remaining > TimeSpan.Zero)
            {
                _timer.Change(remaining + TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan);
                return;
            }

            StopWaiting();
        }

        _waitSource.RunContinuationsAsynchronously = false;
        _waitSource.SetResult(false);
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

        _waitSource.RunContinuationsAsynchronously = true;
        _waitSource.SetException(new OperationCanceledException(_cancellationToken));
    }
}

/// <summary>One subscription's hold on a publication. The default value is no hold.</summary>
/// <param name="Barrier">The barrier; null for no hold.</param>
/// <param name="Publication">The number of the publication.</param>
internal readonly record struct BarrierHold(PublishBarrier? Barrier, long Publication)
{
    /// <summary>Releases the hold. Call it once.</summary>
    /// <param name="inline">
    /// Whether the publisher may continue on this thread. True for a lockstep answer: it saves a thread switch. False for a subscriber that
    /// makes room in its queue: the publisher would fill the queue again before the subscriber gets the frame that it is reading.
    /// </param>
    public void Release(bool inline) => Barrier?.ReleaseHold(Publication, inline);
}
