using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// One subscriber: a bounded queue under its policy, from the publisher to its reader, and what its agent sends back. Any
/// thread may call any member; only one read may be pending.
/// </summary>
public sealed class Subscription : IDisposable
{
    // Until the next frame is offered: it may be the same one, whose publication was under way.
    private ObservationFrame? _kept;
    private long _sentBytes;

    internal Subscription(
        SubscriberName name, long order, V1.SubscribeRequest request, SubscriberInfo info, HubOptions options,
        SubscriptionRegistry registry, PublishedPerspectives perspectives, MemoryLedger memory)
    {
        Place = new(this);
        (Name, Order, Info) = (name.Text, order, info);
        Policy = request.Policy == Policy.Unspecified ? Policy.Every : request.Policy;
        Core = new SubscriberCore(this, name, request, options, registry, perspectives, memory);
    }

    /// <summary>Unique among the hub's subscribers.</summary>
    public string Name { get; }

    /// <summary>The secret with which calls on other connections belong to it; empty for one of the bridge's own.</summary>
    public string SessionId => Core.SessionId;

    /// <summary>Never unspecified.</summary>
    public Policy Policy { get; }

    /// <summary>Whether the match may wait for it: in lockstep, or if a full queue pauses the game.</summary>
    public bool MayHold => Policy == Policy.Lockstep || (Policy == Policy.Every && Core.Request.Overflow != Overflow.End);

    /// <summary>Whether its reader continues on the thread that delivers.</summary>
    public bool IsInline => Info.DeliverInline;

    /// <summary>The match that it is bound to; null if none was announced yet.</summary>
    public MatchDescription? Match => Core.Match;

    /// <summary>The side that its agent plays, or played; null if it only watches.</summary>
    public uint? Side => State.Side;

    /// <summary>Whether nothing follows except what is queued, and the last event.</summary>
    public bool HasEnded => Core.HasEnded;

    /// <summary>Whether it was ended because it held too much memory: a write that is left unread is to be cut off soon.</summary>
    public bool IsCutOff => Core.IsCutOff;

    internal SubscriberCore Core { get; }

    internal SubscriberInfo Info { get; }

    /// <summary>Its place among the subscriptions; the registry's.</summary>
    internal LinkedListNode<Subscription> Place { get; }

    /// <summary>The higher one commands a unit that two agents want.</summary>
    internal uint Priority => Core.Request.Priority;

    /// <summary>Grows from one subscription to the next: among equal priorities the first wins.</summary>
    internal long Order { get; }

    internal SubscriberState State
    {
        get
        {
            using var _ = Core.Enter();
            var (queue, steps, policy) = (Core.Queue, Core.Steps, Core.Policy);
            return new SubscriberState(
                Name, Info.Transport, Policy, Core.Match?.MatchId, Core.Perspective, queue.Count, queue.Bytes, steps.Delivered,
                queue.Dropped, steps.Taken, Info.Internal, HasEnded, policy.Held, policy.IsHolding,
                Interlocked.Read(ref _sentBytes), Core.Inbox.LastReport, Core.Side.Side,
                Info.Who.Roles.HasFlag(Roles.Hold));
        }
    }

    /// <summary>
    /// The next frame or event; waits until there is one. After a delivery with IsLast there is nothing.
    /// </summary>
    /// <param name="ct">Cancels this read; nothing is lost, the next one continues.</param>
    /// <exception cref="InvalidOperationException">Another read is under way, or the last delivery was read.</exception>
    /// <exception cref="ObjectDisposedException">The subscription was disposed.</exception>
    public ValueTask<Delivery> ReadAsync(CancellationToken ct) => Core.Reader.ReadAsync(ct);

    /// <summary>
    /// Waits until there is something to read, and leaves it in the queue: under <see cref="Policy.Latest"/> a newer frame
    /// may still replace it until it is read.
    /// </summary>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="InvalidOperationException">A read is under way.</exception>
    /// <exception cref="ObjectDisposedException">The subscription was disposed.</exception>
    public ValueTask ReadyAsync(CancellationToken ct) => Core.Reader.ReadyAsync(ct);

    /// <summary>Its transport writes a frame's message of so many bytes.</summary>
    public void Sent(int bytes) => Interlocked.Add(ref _sentBytes, bytes);

    /// <summary>Completes with <see cref="HasEnded"/>, or when it is disposed: for a transport whose reader may be stuck.</summary>
    public Task EndedAsync() => Core.EndedAsync();

    /// <summary>
    /// Completes when the agent has reported its times of the last step that it took, or will not: it did not announce
    /// reports, ended its stream, or left. To be called once the last delivery was read.
    /// </summary>
    public Task LastTimesAsync() => Core.Inbox.LastTimesAsync();

    /// <summary>To be called for each message of the agent, before it is handled.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it sends too many; drop it.</exception>
    public void Admit() => Core.Inbox.Admit();

    /// <summary>
    /// Handles an acknowledgement: actions for the next step, times, and the step that the agent is done with. Under
    /// <see cref="Policy.Lockstep"/> one that is late, or ahead of the frames, is answered by a non-fatal error event.
    /// </summary>
    public void Acknowledge(Acknowledgement acknowledgement) => Core.Inbox.Acknowledge(acknowledgement);

    /// <summary>
    /// Handles actions. Their outcomes come with a later frame, also if they are refused; an agent that sends
    /// without reading loses its subscription. After the subscription has ended, actions have no effect. They are refused if
    /// it ended with its match and the last event was not read yet.
    /// </summary>
    /// <param name="actions">Taken over; not changed any more.</param>
    public void Act(Actions actions) => Core.Inbox.Act(actions);

    /// <summary>The match that the agent may ask and control. Null if the subscription still waits for one.</summary>
    /// <exception cref="RequestRefusedException">FAILED_PRECONDITION: the subscription has ended.</exception>
    public MatchDescription? RequireRunning() => Core.Inbox.RequireRunning();

    /// <summary>The agent has ended its stream: it still gets frames, but no publisher waits for it any longer.</summary>
    public void EndAnswers() => Core.Inbox.EndAnswers();

    /// <summary>
    /// Ends the subscription because of what its agent did: no publisher waits for it any longer, it gets what is
    /// queued and then the reason, and the hub reports the reason.
    /// </summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="why">One line, which names what to do instead.</param>
    public void Drop(uint code, string why) => Core.Drop(new RequestRefusedException(code, why));

    /// <summary>Ends it at once: queued frames are released, and no publisher waits for this subscriber any longer.</summary>
    public void Dispose() => Core.Close();

    /// <summary>
    /// Queues a published frame, if it is for this subscriber, and counts subscribers and dropped frames in it; the
    /// bridge's own subscribers come last, and read the counts. A defect on the way ends this subscriber only.
    /// </summary>
    /// <param name="frame">The frame.</param>
    /// <param name="barrier">Where to hold its publication back.</param>
    internal void Offer(ObservationFrame frame, PublishBarrier barrier)
    {
        using var _ = Core.Enter();
        if (!Wants(frame))
        {
            return;
        }

        (var kept, _kept) = (_kept, null);
        if (ReferenceEquals(kept, frame))
        {
            return;
        }

        frame.Subscribers += Info.Internal ? 0 : 1;
        try
        {
            frame.Dropped += Take(frame, barrier);
        }
#pragma warning disable CA1031 // Whatever it is: the others get the frame.
        catch (Exception defect)
#pragma warning restore CA1031
        {
            frame.Dropped++;
            Core.Queue.Dropped++;
            Core.Fail(defect);
        }
    }

    /// <summary>Queues a frame of its perspective that was published before it came, unless it has been offered one.</summary>
    internal void OfferKept(ObservationFrame frame)
    {
        using var _ = Core.Enter();
        if (!Wants(frame) || Core.Steps.Offered is not null)
        {
            return;
        }

        _kept = frame;
        try
        {
            Offered(frame, isJump: false);
            Core.Queue.Replace(frame);
        }
#pragma warning disable CA1031 // As above.
        catch (Exception defect)
#pragma warning restore CA1031
        {
            Core.Fail(defect);
        }
    }

    /// <summary>A publication has waited for some time: releases the hold on it once this policy's deadline passed.</summary>
    /// <returns>True if a hold was released and the subscriber is not dropped for it.</returns>
    internal bool Expire(PublishBarrier barrier, TimeSpan passed)
    {
        using var _ = Core.Enter();
        if (!Core.Policy.Expire(barrier, passed, out var drop))
        {
            return false;
        }

        Core.Drop(drop);
        return drop is null;
    }

    private bool Wants(ObservationFrame frame) =>
        Core.Phase == SubscriberPhase.Bound && frame.Header.MatchId == Core.Match!.MatchId
        && (Info.EveryPerspective || frame.Header.Perspective == Core.Perspective);

    private int Take(ObservationFrame frame, PublishBarrier barrier)
    {
        if (Core.Policy.Overdue() is { } overdue)
        {
            Core.Drop(overdue);
            Core.Queue.Dropped++;
            return 1;
        }

        var lost = 0;
        if (frame.Jump is { } jump && !Info.Internal && Core.Steps.Offered is not null)
        {
            // Frames from before the jump are of no use to an agent. The log and the recorder want all of them.
            lost = Core.Queue.DropFrames();
            Core.Queue.Notify(new PlayResponse { Playback = jump });
        }

        Offered(frame, isJump: frame.Jump is not null);
        lost += Core.Policy.Offer(frame, Core.Reader.IsAwaited, barrier, out var drop);
        Core.Drop(drop);
        return lost;
    }

    private void Offered(ObservationFrame frame, bool isJump)
    {
        Core.Steps.Offer(frame.Header.Step, isJump);
        Info.OnOffered?.Invoke(frame);
    }
}
