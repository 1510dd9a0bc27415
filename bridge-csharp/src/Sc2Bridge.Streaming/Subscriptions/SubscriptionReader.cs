using System.Threading.Tasks.Sources;

namespace Sc2Bridge.Streaming;

/// <summary>What a subscription hands to its reader: a frame or an event, exactly one of the two.</summary>
public readonly record struct Delivery
{
    internal Delivery(ObservationFrame frame, ReadOnlyMemory<byte> own = default) => (Frame, OwnFields) = (frame, own);

    internal Delivery(V1.PlayResponse @event, bool isLast) => (Event, IsLast) = (@event, isLast);

    /// <summary>A frame, held for the reader until <see cref="Release"/>.</summary>
    public ObservationFrame? Frame { get; }

    /// <summary>
    /// This subscriber's own fields of the envelope: <c>skipped</c> and <c>outcomes</c>, as serialized fields of
    /// <c>Frame</c>, or nothing. The frame's bytes are shared with the other subscribers.
    /// </summary>
    public ReadOnlyMemory<byte> OwnFields { get; }

    /// <summary>An event other than a frame: an error, the match's end.</summary>
    public V1.PlayResponse? Event { get; }

    /// <summary>True if nothing follows: the match's end, or a fatal error.</summary>
    public bool IsLast { get; }

    /// <summary>Releases the frame's bytes; to be called once for each delivery.</summary>
    public void Release() => Frame?.Release();
}

/// <summary>
/// A subscription's reads, one at a time, and what its reader holds. One object serves all reads that wait, so waiting allocates
/// nothing.
/// </summary>
/// <param name="core">Has what is read.</param>
/// <param name="inline">Whether the reader may continue on the thread that delivers.</param>
internal sealed class SubscriptionReader(SubscriberCore core, bool inline) : IValueTaskSource<Delivery>, IValueTaskSource
{
    // How long a write takes at most whose reader keeps up, and what its queue holds in addition to frames.
    private const int StuckMs = 1000;
    private const int MostOwn = 64 << 10;

    private ManualResetValueTaskSourceCore<Delivery> _source = new() { RunContinuationsAsynchronously = !inline };
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private bool _waits;
    private bool _takes;
    private int _inHand;
    private long _takenAt;

    /// <summary>Whether a reader waits for a frame, and takes it.</summary>
    public bool IsAwaited => _waits && _takes;

    /// <summary>Bytes of memory of the frames that wait, of the frame that is being written, and the queue's own.</summary>
    public long Held => core.Queue.Held + _inHand;

    /// <summary>The same for a subscriber that does not keep up, or was cut off; 0 for one that keeps up.</summary>
    public long HeldBehind
    {
        get
        {
            using var _ = core.Enter();
            var isStuck = _inHand > 0 && Environment.TickCount64 - _takenAt > StuckMs;
            return isStuck || core.IsCutOff || core.Queue.Count > 1 || core.Queue.Own > MostOwn ? Held : 0;
        }
    }

    public ValueTask<Delivery> ReadAsync(CancellationToken ct) =>
        ct.IsCancellationRequested ? ValueTask.FromCanceled<Delivery>(ct)
        : Begin(takes: true, out var delivery) ? new ValueTask<Delivery>(delivery)
        : new ValueTask<Delivery>(this, Register(ct));

    public ValueTask ReadyAsync(CancellationToken ct) =>
        ct.IsCancellationRequested ? ValueTask.FromCanceled(ct)
        : Begin(takes: false, out _) ? ValueTask.CompletedTask
        : new ValueTask(this, Register(ct));

    /// <summary>Whether there is now something for the reader that waits; under the lock.</summary>
    /// <param name="delivery">What it gets; default if it only waits until there is something.</param>
    public bool TryEnd(out Delivery delivery)
    {
        delivery = default;
        if (!_waits || core.Phase == SubscriberPhase.Closed || !TryServe(out delivery))
        {
            return false;
        }

        _waits = false;
        return true;
    }

    /// <summary>The read that waited gets what <see cref="TryEnd"/> has taken for it.</summary>
    public void Deliver(Delivery delivery) => _source.SetResult(delivery);

    /// <summary>The subscriber was closed.</summary>
    public void Close() => GiveUp(new ObjectDisposedException(nameof(Subscription)));

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

    // False if the queue is empty: then the read waits.
    private bool Begin(bool takes, out Delivery delivery)
    {
        using var _ = core.Enter();
        ObjectDisposedException.ThrowIf(core.Phase == SubscriberPhase.Closed, typeof(Subscription));
        if (_waits)
        {
            throw new InvalidOperationException("A read is under way: read one delivery at a time.");
        }

        // A reader that reads again has let go of the last delivery.
        (_inHand, _takes) = (0, takes);
        if (TryServe(out delivery))
        {
            return true;
        }

        _waits = true;
        _source.Reset();
        return false;
    }

    private bool TryServe(out Delivery delivery)
    {
        delivery = default;
        if (!_takes)
        {
            return core.Queue.HasNext;
        }

        if (!core.Queue.TryTake(out delivery))
        {
            return false;
        }

        if (delivery.Frame is { } frame)
        {
            (_inHand, _takenAt) = (frame.Capacity, Environment.TickCount64);
            core.Steps.Take(frame.Header.Step);
            core.Inbox.FrameTaken();
            core.Policy.Take();
        }

        return true;
    }

    private short Register(CancellationToken ct)
    {
        var version = _source.Version;
        _token = ct;
        _registration = ct.UnsafeRegister(
            static reader => ((SubscriptionReader)reader!).GiveUp(
                new OperationCanceledException(((SubscriptionReader)reader)._token)),
            this);
        return version;
    }

    private Delivery Result(short token)
    {
        _registration.Dispose();
        _registration = default;
        return _source.GetResult(token);
    }

    // Not if its delivery is on its way.
    private void GiveUp(Exception why)
    {
        using (core.Enter())
        {
            if (!_waits)
            {
                return;
            }

            _waits = false;
        }

        _source.SetException(why);
    }
}
