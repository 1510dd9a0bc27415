using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// One subscriber's side of the hub: a bounded queue under its policy. Any thread may call any member; reads come one
/// at a time.
/// </summary>
public sealed class Subscription : IDisposable, IActionSender
{
    private readonly Hub _hub;
    private readonly SubscriptionGate _gate;
    private readonly uint _priority;
    private readonly long _order;

    internal Subscription(Hub hub, SubscriptionState state, SubscriberInfo info, long order)
    {
        _hub = hub;
        _gate = new SubscriptionGate(state, info.DeliverInline, OnDropped);
        _priority = state.Priority;
        _order = order;
        Name = state.Name;
        Policy = state.Policy;
        Info = info;
    }

    /// <summary>Unique among the hub's subscribers.</summary>
    public string Name { get; }

    /// <summary>Never unspecified.</summary>
    public Policy Policy { get; }

    /// <summary>The match that it is tied to; null where none was announced yet.</summary>
    public MatchDescription? Match => _gate.Look(static state => state.Match);

    uint IActionSender.Priority => _priority;

    long IActionSender.Order => _order;

    internal SubscriberInfo Info { get; }

    /// <summary>Whether nothing comes any more but what is queued, and the last event.</summary>
    internal bool HasEnded => _gate.Look(static state => state.HasEnded);

    /// <summary>The side that its agent plays, or played; null where it only watches.</summary>
    internal uint? Side => _gate.Look(static state => state.Side);

    /// <summary>The side that its agent plays and can go on to play; null where it does not.</summary>
    internal uint? Plays => _gate.Look(static state => state.IsPlaying ? state.Side : null);

    internal SubscriberState State => _gate.Look(static state => state.Snapshot());

    /// <summary>
    /// The next frame or event; waits until there is one. After a delivery with IsLast there is nothing.
    /// </summary>
    /// <param name="ct">Gives up this read; the next one takes up where it was.</param>
    /// <exception cref="InvalidOperationException">Another read is under way, or the last delivery was
    /// read.</exception>
    /// <exception cref="ObjectDisposedException">The subscription was disposed.</exception>
    public ValueTask<Delivery> ReadAsync(CancellationToken ct) =>
        ct.IsCancellationRequested ? ValueTask.FromCanceled<Delivery>(ct) : _gate.ReadAsync(ct);

    /// <summary>
    /// Waits until there is something to read, and leaves it where it is: under <see cref="Policy.Latest"/> a newer frame
    /// may still replace it until it is read.
    /// </summary>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="InvalidOperationException">A read is under way.</exception>
    /// <exception cref="ObjectDisposedException">The subscription was disposed.</exception>
    public ValueTask ReadyAsync(CancellationToken ct) =>
        ct.IsCancellationRequested ? ValueTask.FromCanceled(ct) : _gate.ReadyAsync(ct);

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
            if (_gate.TakesTimes(times.Step, out var perspective, out var actions))
            {
                _hub.News.Report(this, perspective, times, actions);
            }
        }

        _gate.Acknowledge(acknowledgement.Step);
    }

    /// <summary>
    /// Completes when the agent has reported its times of the last step that it took, or will not: it did not say that it
    /// would, answers no more, or left. To be asked for once the last delivery was read.
    /// </summary>
    public Task LastTimesAsync() => _gate.LastTimesAsync();

    /// <summary>
    /// Completes when nothing comes any more but what is queued, and the last event: for one whose reader may be stuck.
    /// </summary>
    public Task EndedAsync() => _gate.EndedAsync();

    /// <summary>
    /// The agent has its player do something. What becomes of it comes with the next frame, also where it is refused;
    /// an agent that sends without reading loses its subscription.
    /// </summary>
    /// <param name="actions">Taken over; not changed any more.</param>
    public void Act(Actions actions)
    {
        ArgumentNullException.ThrowIfNull(actions);
        var askedNs = MonotonicClock.NowNs;
        var taken = _gate.TakeActions(this, actions, actions.CalculateSize(), askedNs, out var refusal);
        if (taken is null)
        {
            return;
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
        _gate.Change(static state => state.EndAnswers());
        if (played is { } side)
        {
            _hub.Left(this, side, "says nothing any more");
        }
    }

    /// <summary>To be called for each message of the agent's, before it counts.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it sends too many; drop it.</exception>
    public void Admit()
    {
        if (_gate.Look(static state => state.Admit()) is { } refusal)
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
        _gate.Change(state => state.Drop(code, why));
    }

    /// <summary>Leaves: queued frames are released, and a publisher that waits for this subscriber goes on.</summary>
    public void Dispose()
    {
        var played = Plays;
        if (!_gate.Close())
        {
            return;
        }

        // Before it is seen to be gone.
        var heardOut = _gate.Look(static state => state.IsHeardOut);
        StreamingLog.Unsubscribed(_hub.Logger, Name, heardOut);
        _hub.News.Depart(this, heardOut);
        _hub.SubscriptionRegistry.Remove(this);
        if (played is { } side)
        {
            _hub.Left(this, side, "left");
        }
    }

    void IActionSender.Tell(AgentActions done) => _gate.Change(state => state.Tell(done));

    internal void Bind(MatchDescription description) => _gate.Change(state => state.Bind(description));

    /// <summary>The last event, after the frames that are queued.</summary>
    internal void Finish(Event last) => _gate.Change(state => state.Finish(last));

    /// <summary>See <see cref="SubscriptionGate.Offer"/>. The bridge's own come last, and read the counts.</summary>
    internal void Offer(ObservationFrame frame, PublishBarrier wait, long generation) =>
        _gate.Offer(frame, Info.Internal ? 0 : 1, wait, generation);

    /// <summary>See <see cref="SubscriptionGate.DeadlinePassed"/>.</summary>
    internal bool DeadlinePassed(PublishBarrier wait, long generation, TimeSpan passed) =>
        _gate.DeadlinePassed(wait, generation, passed);

    private void OnDropped(string why) => _hub.Dropped(this, why);
}
