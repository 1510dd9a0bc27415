using System.Threading.Tasks.Sources;

namespace Sc2Bridge.Streaming;

/// <summary>
/// A read that waits for its delivery, or only until there is one. One object serves every read of a subscription, one
/// at a time, so waiting allocates nothing.
/// </summary>
/// <param name="inline">Whether the reader may continue on the thread that delivers.</param>
/// <param name="giveUp">Cancels the read; false where its delivery is on its way already.</param>
internal sealed class PendingRead(bool inline, Func<bool> giveUp) : IValueTaskSource<Delivery>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<Delivery> _core = new() { RunContinuationsAsynchronously = !inline };
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;

    /// <summary>A read begins: from now on it can be delivered to.</summary>
    /// <param name="takes">Whether it takes what there is, or leaves it.</param>
    public void Begin(bool takes)
    {
        Takes = takes;
        _core.Reset();
    }

    /// <summary>Whether the read that has begun takes what there is.</summary>
    public bool Takes { get; private set; }

    /// <summary>The read that has begun.</summary>
    public ValueTask<Delivery> WaitAsync(CancellationToken ct) => new(this, Register(ct));

    /// <summary>The same, where it does not take.</summary>
    public ValueTask ReadyAsync(CancellationToken ct) => new(this, Register(ct));

    /// <summary>The read ends with a delivery.</summary>
    public void Deliver(Delivery delivery) => _core.SetResult(delivery);

    /// <summary>The read ends without one.</summary>
    public void Fail(Exception why) => _core.SetException(why);

    Delivery IValueTaskSource<Delivery>.GetResult(short token) => Result(token);

    void IValueTaskSource.GetResult(short token) => Result(token);

    ValueTaskSourceStatus IValueTaskSource<Delivery>.GetStatus(short token) => _core.GetStatus(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<Delivery>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private short Register(CancellationToken ct)
    {
        var version = _core.Version;
        _token = ct;
        _registration = ct.UnsafeRegister(static state => ((PendingRead)state!).OnCancelled(), this);
        return version;
    }

    private Delivery Result(short token)
    {
        _registration.Dispose();
        _registration = default;
        return _core.GetResult(token);
    }

    private void OnCancelled()
    {
        if (giveUp())
        {
            Fail(new OperationCanceledException(_token));
        }
    }
}
