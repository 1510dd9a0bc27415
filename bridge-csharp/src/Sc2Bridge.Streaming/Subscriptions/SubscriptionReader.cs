using System.Threading.Tasks.Sources;

namespace Sc2Bridge.Streaming;

/// <summary>
/// A subscription's reads, one at a time. One object serves all reads that wait, so waiting allocates nothing.
/// </summary>
/// <param name="core">Has what is read.</param>
/// <param name="memory">Charged with the frame that was read last.</param>
/// <param name="inline">Whether the reader may continue on the thread that delivers.</param>
internal sealed class SubscriptionReader(SubscriberCore core, MemoryShare memory, bool inline)
    : IValueTaskSource<Delivery>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<Delivery> _source = new() { RunContinuationsAsynchronously = !inline };
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private bool _waits;
    private bool _takes;

    /// <summary>Whether a reader waits for a frame, and takes it.</summary>
    public bool IsAwaited => _waits && _takes;

    public ValueTask<Delivery> ReadAsync(CancellationToken ct)
    {
        if (ct.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<Delivery>(ct);
        }

        using (core.Enter())
        {
            Begin();
            if (TryTake(out var delivery))
            {
                return new ValueTask<Delivery>(delivery);
            }

            Wait(takes: true);
        }

        return new ValueTask<Delivery>(this, Register(ct));
    }

    public ValueTask ReadyAsync(CancellationToken ct)
    {
        if (ct.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(ct);
        }

        using (core.Enter())
        {
            Begin();
            if (core.Queue.HasNext)
            {
                return ValueTask.CompletedTask;
            }

            Wait(takes: false);
        }

        return new ValueTask(this, Register(ct));
    }

    /// <summary>Whether there is now something for the reader that waits; under the lock.</summary>
    /// <param name="delivery">What it gets; default if it only waits until there is something.</param>
    public bool TryEnd(out Delivery delivery)
    {
        delivery = default;
        if (!_waits || core.Phase == SubscriberPhase.Closed || !(_takes ? TryTake(out delivery) : core.Queue.HasNext))
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

    private void Begin()
    {
        // A reader that reads again has let go of the last delivery.
        memory.LetGo();
        ObjectDisposedException.ThrowIf(core.Phase == SubscriberPhase.Closed, typeof(Subscription));
        if (_waits)
        {
            throw new InvalidOperationException("A read is under way: read one delivery at a time.");
        }
    }

    private bool TryTake(out Delivery delivery)
    {
        if (!core.Queue.TryTake(out delivery))
        {
            return false;
        }

        if (delivery.Frame is { } frame)
        {
            memory.Took(frame);
            core.Steps.Take(frame.Header.Step);
            core.Inbox.FrameTaken();
            core.Policy.Take();
        }

        return true;
    }

    private void Wait(bool takes)
    {
        (_waits, _takes) = (true, takes);
        _source.Reset();
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
