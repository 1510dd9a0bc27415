using System.Threading.Tasks.Sources;

namespace Sc2Bridge.Streaming;

/// <summary>What one read of a subscription returns: either a frame or an event.</summary>
public readonly record struct Delivery
{
    internal Delivery(ObservationFrame frame, ReadOnlyMemory<byte> own = default) => (Frame, OwnFields) = (frame, own);

    internal Delivery(V1.PlayResponse @event, bool isLast) => (Event, IsLast) = (@event, isLast);

    /// <summary>The frame, with a reference for the caller until <see cref="Release"/>; null for an event.</summary>
    public ObservationFrame? Frame { get; }

    /// <summary>
    /// The fields of the message <c>Frame</c> that only this subscriber gets: <c>skipped</c> and <c>outcomes</c>, serialized, or
    /// empty. All subscribers share the frame's other bytes.
    /// </summary>
    public ReadOnlyMemory<byte> OwnFields { get; }

    /// <summary>An event that is not a frame, such as an error or the match's end.</summary>
    public V1.PlayResponse? Event { get; }

    /// <summary>Whether nothing follows: this is the match's end or a fatal error.</summary>
    public bool IsLast { get; }

    /// <summary>Releases the frame. Call this method once for each delivery.</summary>
    public void Release() => Frame?.Release();
}

/// <summary>
/// Serves the reads of a subscription, one at a time, and counts the memory that the subscriber uses. One object serves all
/// reads, so a waiting read allocates nothing.
/// </summary>
/// <param name="core">The subscriber, which contains the queue.</param>
/// <param name="inline">Whether the code that reads may continue on the publisher's thread.</param>
internal sealed class SubscriptionReader(SubscriberCore core, bool inline) : IValueTaskSource<Delivery>, IValueTaskSource
{
    // A subscriber keeps up if a write takes at most this long, at most one frame waits, and the rest of its queue has at most MostOwnBytes.
    private const int LongestWriteMs = 1000;
    private const int MostOwnBytes = 64 << 10;

    private ManualResetValueTaskSourceCore<Delivery> _source = new() { RunContinuationsAsynchronously = !inline };
    private CancellationTokenRegistration _registration;
    private CancellationToken _cancellationToken;
    private bool _isWaiting;
    private bool _readTakesDelivery;
    private int _frameBytesInUse;
    private long _takenAtMs;

    /// <summary>Whether a call of <see cref="ReadAsync"/> waits for a frame or event.</summary>
    public bool IsAwaited => _isWaiting && _readTakesDelivery;

    /// <summary>The memory of queued frames, of the frame that is being written, and of the rest of the queue, in bytes.</summary>
    public long HeldBytes => core.Queue.MemoryBytes + _frameBytesInUse;

    /// <summary><see cref="HeldBytes"/> if the subscriber does not keep up or was cut off; otherwise 0.</summary>
    public long HeldBytesIfBehind
    {
        get
        {
            using var _ = core.Enter();
            var isStuck = _frameBytesInUse > 0 && Environment.TickCount64 - _takenAtMs > LongestWriteMs;
            return isStuck || core.IsCutOff || core.Queue.Count > 1 || core.Queue.OwnMemoryBytes > MostOwnBytes ? HeldBytes : 0;
        }
    }

    public ValueTask<Delivery> ReadAsync(CancellationToken ct) =>
        ct.IsCancellationRequested ? ValueTask.FromCanceled<Delivery>(ct)
        : TryServeNow(takesDelivery: true, out var delivery) ? new ValueTask<Delivery>(delivery)
        : new ValueTask<Delivery>(this, RegisterCancellation(ct));

    public ValueTask WaitUntilReadyAsync(CancellationToken ct) =>
        ct.IsCancellationRequested ? ValueTask.FromCanceled(ct)
        : TryServeNow(takesDelivery: false, out _) ? ValueTask.CompletedTask
        : new ValueTask(this, RegisterCancellation(ct));

    /// <summary>Whether the waiting read can now complete. Call this method under the lock.</summary>
    /// <param name="delivery">What the read gets; default for a call of <see cref="WaitUntilReadyAsync"/>.</param>
    public bool TryComplete(out Delivery delivery)
    {
        delivery = default;
        if (!_isWaiting || core.Phase == SubscriberPhase.Closed || !TryServe(out delivery))
        {
            return false;
        }

        _isWaiting = false;
        return true;
    }

    /// <summary>Completes the waiting read with the delivery from <see cref="TryComplete"/>.</summary>
    public void Complete(Delivery delivery) => _source.SetResult(delivery);

    /// <summary>Called when the subscriber was closed.</summary>
    public void Close() => FailRead(new ObjectDisposedException(nameof(Subscription)));

    Delivery IValueTaskSource<Delivery>.GetResult(short token) => Result(token);

    void IValueTaskSource.GetResult(short token) => Result(token);

    ValueTaskSourceStatus IValueTaskSource<Delivery>.GetStatus(short token) => _source.GetStatus(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<Delivery>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    // Returns false if the queue is empty; then the read waits.
    private bool TryServeNow(bool takesDelivery, out Delivery delivery)
    {
        using var _ = core.Enter();
        ObjectDisposedException.ThrowIf(core.Phase == SubscriberPhase.Closed, typeof(Subscription));
        if (_isWaiting)
        {
            throw new InvalidOperationException("A read is under way: read one delivery at a time.");
        }

        // The caller has released the previous delivery before this read.
        (_frameBytesInUse, _readTakesDelivery) = (0, takesDelivery);
        if (TryServe(out delivery))
        {
            return true;
        }

        _isWaiting = true;
        _source.Reset();
        return false;
    }

    private bool TryServe(out Delivery delivery)
    {
        delivery = default;
        if (!_readTakesDelivery)
        {
            return core.Queue.HasNext;
        }

        if (!core.Queue.TryDequeue(out delivery))
        {
            return false;
        }

        if (delivery.Frame is { } frame)
        {
            (_frameBytesInUse, _takenAtMs) = (frame.Capacity, Environment.TickCount64);
            core.Steps.RecordTaken(frame.Header.Step);
            core.Inbox.OnFrameTaken();
            core.Policy.OnDequeued();
        }

        return true;
    }

    private short RegisterCancellation(CancellationToken ct)
    {
        var version = _source.Version;
        _cancellationToken = ct;
        _registration = ct.UnsafeRegister(
            static reader => ((SubscriptionReader)reader!).FailRead(
                new OperationCanceledException(((SubscriptionReader)reader)._cancellationToken)),
            this);
        return version;
    }

    private Delivery Result(short token)
    {
        _registration.Dispose();
        _registration = default;
        return _source.GetResult(token);
    }

    // Has no effect if the read was already completed.
    private void FailRead(Exception why)
    {
        using (core.Enter())
        {
            if (!_isWaiting)
            {
                return;
            }

            _isWaiting = false;
        }

        _source.SetException(why);
    }
}
