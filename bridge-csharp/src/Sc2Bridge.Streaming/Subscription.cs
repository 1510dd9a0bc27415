using System.Threading.Tasks.Sources;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// One subscriber's side of the hub: a bounded queue under its policy. Any thread may call any member; reads come one
/// at a time. In steady state nothing is allocated for a frame.
/// </summary>
public sealed class Subscription : IDisposable, IActor, IValueTaskSource<Delivery>
{
    private readonly Lock _gate = new();
    private readonly Hub _hub;
    private readonly SubscriptionState _state;
    private readonly long _order;
    private ManualResetValueTaskSourceCore<Delivery> _read;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private TaskCompletionSource? _lastTimes;
    private bool _reading;
    private bool _disposed;

    internal Subscription(Hub hub, SubscriptionState state, SubscriberInfo info, long order)
    {
        _hub = hub;
        _state = state;
        _order = order;
        Info = info;
        _read.RunContinuationsAsynchronously = !info.DeliverInline;
    }

    /// <summary>Unique among the hub's subscribers.</summary>
    public string Name => _state.Name;

    /// <summary>Never unspecified.</summary>
    public Policy Policy => _state.Policy;

    /// <summary>The match that it is tied to; null where none was announced yet.</summary>
    public MatchDescription? Match
    {
        get
        {
            lock (_gate)
            {
                return _state.Match;
            }
        }
    }

    uint IActor.Priority => _state.Priority;

    long IActor.Order => _order;

    internal SubscriberInfo Info { get; }

    /// <summary>Whether nothing comes any more but what is queued, and the last event.</summary>
    internal bool HasEnded
    {
        get
        {
            lock (_gate)
            {
                return _state.HasEnded;
            }
        }
    }

    /// <summary>The side that its agent plays, or played; null where it only watches.</summary>
    internal uint? Side
    {
        get
        {
            lock (_gate)
            {
                return _state.Side;
            }
        }
    }

    /// <summary>The side that its agent plays and can go on to play; null where it does not.</summary>
    internal uint? Plays
    {
        get
        {
            lock (_gate)
            {
                return _state.IsPlaying ? _state.Side : null;
            }
        }
    }

    internal SubscriberState State
    {
        get
        {
            lock (_gate)
            {
                return _state.Snapshot();
            }
        }
    }

    /// <summary>
    /// The next frame or event; waits until there is one. After a delivery with IsLast there is nothing.
    /// </summary>
    /// <param name="ct">Gives up this read; the next one takes up where it was.</param>
    /// <exception cref="InvalidOperationException">Another read is under way, or the last delivery was
    /// read.</exception>
    /// <exception cref="ObjectDisposedException">The subscription was disposed.</exception>
    public ValueTask<Delivery> ReadAsync(CancellationToken ct)
    {
        if (ct.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<Delivery>(ct);
        }

        Holds released;
        Delivery delivery;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_reading)
            {
                throw new InvalidOperationException("A read is under way: read one delivery at a time.");
            }

            if (!_state.TryTake(out delivery, out released))
            {
                _read.Reset();
                _reading = true;
            }
        }

        if (delivery != default)
        {
            released.Resolve(inline: false);
            return new ValueTask<Delivery>(delivery);
        }

        var version = _read.Version;
        _token = ct;
        _registration = ct.UnsafeRegister(static state => ((Subscription)state!).OnCancelled(), this);
        return new ValueTask<Delivery>(this, version);
    }

    /// <summary>
    /// The agent is done with a step, does something before the next one, or reports its times. An answer that is late,
    /// or ahead of the frames, comes back as a non-fatal error event.
    /// </summary>
    public void Acknowledge(Acknowledgement acknowledgement)
    {
        ArgumentNullException.ThrowIfNull(acknowledgement);
        foreach (var actions in acknowledgement.Actions)
        {
            Act(actions);
        }

        // Behind the actions, which are counted with the times of their step.
        foreach (var times in acknowledgement.Times)
        {
            bool isMeasured;
            int? actions;
            uint perspective;
            lock (_gate)
            {
                perspective = _state.Perspective;
                isMeasured = _state.TakesTimes(times.Step);
                actions = _state.ActionsFor(times.Step);
            }

            if (isMeasured)
            {
                _hub.Report(this, perspective, times, actions);
            }
        }

        Holds released;
        Outcome outcome;
        lock (_gate)
        {
            if (_disposed)
            {
                return;
            }

            released = _state.Acknowledge(acknowledgement.Step);
            outcome = Settle();
        }

        BringAbout(outcome);
        released.Resolve(inline: true);
    }

    /// <summary>
    /// Completes when the agent has reported its times of the last step that it took, or will not: it did not say that it
    /// would, answers no more, or left. To be asked for once the last delivery was read.
    /// </summary>
    public Task LastTimesAsync()
    {
        lock (_gate)
        {
            _lastTimes ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            TellLastTimes();
            return _lastTimes.Task;
        }
    }

    /// <summary>
    /// The agent has its player do something. What becomes of it comes with the next frame, also where it is refused;
    /// an agent that sends without reading loses its subscription.
    /// </summary>
    /// <param name="actions">Taken over; not changed any more.</param>
    public void Act(Actions actions)
    {
        ArgumentNullException.ThrowIfNull(actions);
        var askedNs = MonotonicClock.NowNs;
        var bytes = actions.CalculateSize();
        AgentActions taken;
        RequestRefusedException? refusal;
        lock (_gate)
        {
            if (_disposed)
            {
                return;
            }

            taken = new AgentActions(this, _state.Perspective, actions, bytes, askedNs);
            refusal = _state.TakeActions(taken);
        }

        if (refusal is null)
        {
            _hub.Acting.Take(taken);
        }
        else
        {
            _hub.Acting.Refuse(taken, refusal);
        }
    }

    /// <summary>The agent will answer no more: frames go on, and a publisher that waits for its answer does too.</summary>
    public void EndAnswers()
    {
        var played = Plays;
        Change(state => state.EndAnswers());
        if (played is { } side)
        {
            _hub.Left(this, side, "says nothing any more");
        }
    }

    /// <summary>To be called for each message of the agent's, before it counts.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it sends too many; drop it.</exception>
    public void Admit()
    {
        RequestRefusedException? refusal;
        lock (_gate)
        {
            refusal = _state.Admit();
        }

        if (refusal is not null)
        {
            throw refusal;
        }
    }

    /// <summary>
    /// The agent did what it may not: a publisher that waits for it goes on, nothing comes any more but what is queued
    /// and then the reason, and the hub tells the reason.
    /// </summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="why">One line, which names what to do instead.</param>
    public void Drop(uint code, string why)
    {
        ArgumentNullException.ThrowIfNull(why);
        Change(state => state.Drop(code, why));
    }

    /// <summary>Leaves: queued frames are released, and a publisher that waits for this subscriber goes on.</summary>
    public void Dispose()
    {
        Holds released;
        bool reading;
        var played = Plays;
        lock (_gate)
        {
            if (_disposed)
            {
                return;
            }

            _disposed = true;
            TellLastTimes();
            released = _state.Clear();
            reading = _reading;
            _reading = false;
        }

        _hub.Remove(this);
        released.Resolve(inline: false);
        if (reading)
        {
            _read.SetException(new ObjectDisposedException(nameof(Subscription)));
        }

        if (played is { } side)
        {
            _hub.Left(this, side, "left");
        }
    }

    void IActor.Tell(AgentActions done) => Change(state => state.Tell(done));

    internal void Bind(MatchDescription description)
    {
        Change(state => state.Bind(description));
    }

    /// <summary>The last event, after the frames that are queued.</summary>
    internal void Finish(Event last) => Change(state => state.Finish(last));

    /// <summary>Offers a frame, which counts those who take it, and what they lose by it.</summary>
    internal void Offer(Frame frame, PublishWait wait, long generation)
    {
        Outcome outcome;
        lock (_gate)
        {
            if (_disposed || !_state.Accepts(frame))
            {
                return;
            }

            // The bridge's own come last, and read these.
            frame.Subscribers += Info.Internal ? 0 : 1;
            frame.Dropped += _state.Offer(frame, _reading, wait, generation);
            outcome = Settle();
        }

        BringAbout(outcome);
    }

    /// <summary>A deadline of a publication has passed.</summary>
    /// <returns>True where it was this subscriber's, which is waited for no longer, and not dropped for it.</returns>
    internal bool DeadlinePassed(PublishWait wait, long generation, TimeSpan passed)
    {
        Outcome outcome;
        lock (_gate)
        {
            if (_disposed || !_state.DeadlinePassed(wait, generation, passed))
            {
                return false;
            }

            outcome = Settle();
        }

        wait.Resolve(generation, inline: false);
        BringAbout(outcome);
        return outcome.Blame is null;
    }

    Delivery IValueTaskSource<Delivery>.GetResult(short token)
    {
        _registration.Dispose();
        _registration = default;
        return _read.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource<Delivery>.GetStatus(short token) => _read.GetStatus(token);

    void IValueTaskSource<Delivery>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _read.OnCompleted(continuation, state, token, flags);

    private void TellLastTimes()
    {
        if (_disposed || !_state.OwesTimes)
        {
            _lastTimes?.TrySetResult();
        }
    }

    // Under the gate, after a change of the state.
    private Outcome Settle()
    {
        TellLastTimes();
        if (_reading && _state.TryTake(out var delivery, out _))
        {
            _reading = false;
            return new Outcome(delivery, _state.TakeBlame());
        }

        return new Outcome(default, _state.TakeBlame());
    }

    // Without the gate.
    private void BringAbout(Outcome outcome)
    {
        if (outcome.Delivery != default)
        {
            _read.SetResult(outcome.Delivery);
        }

        if (outcome.Blame is not null)
        {
            _hub.Dropped(this, outcome.Blame);
        }
    }

    private void Change(Func<SubscriptionState, Holds> change)
    {
        Holds released;
        Outcome outcome;
        lock (_gate)
        {
            if (_disposed)
            {
                return;
            }

            released = change(_state);
            outcome = Settle();
        }

        released.Resolve(inline: false);
        BringAbout(outcome);
    }

    private void OnCancelled()
    {
        lock (_gate)
        {
            if (!_reading)
            {
                return;
            }

            _reading = false;
        }

        _read.SetException(new OperationCanceledException(_token));
    }

    /// <summary>What a change of the state brings about, once the gate is open again.</summary>
    /// <param name="Delivery">What the reader gets; default where nothing is for it.</param>
    /// <param name="Blame">Why the subscriber is dropped; null where it is not.</param>
    private readonly record struct Outcome(Delivery Delivery, string? Blame);
}
