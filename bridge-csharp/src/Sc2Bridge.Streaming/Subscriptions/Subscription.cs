using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// One subscriber: a bounded queue of frames, which a policy controls, and the handling of the agent's messages. Thread-safe, but
/// only one read may be pending.
/// </summary>
public sealed class Subscription : IDisposable
{
    // The frame from OfferKeptFrame, until the next call of Offer. If the publication of this frame was in progress, that call
    // offers the same frame again.
    private ObservationFrame? _keptFrame;
    private long _sentBytes;

    internal Subscription(
        SubscriberName name, long order, V1.SubscribeRequest request, SubscriberInfo info, HubOptions options,
        SubscriptionRegistry registry, PublishedPerspectives perspectives, MemoryLedger memory)
    {
        RegistryNode = new(this);
        (Name, Order, Info) = (name.Text, order, info);
        Policy = request.Policy == Policy.Unspecified ? Policy.Every : request.Policy;
        Core = new SubscriberCore(this, name, request, options, registry, perspectives, memory);
    }

    /// <summary>The name, unique among the hub's subscribers.</summary>
    public string Name { get; }

    /// <summary>Calls on other connections send this secret to act for this subscriber; empty for the bridge's own subscribers.</summary>
    public string SessionId => Core.SessionId;

    /// <summary>The policy; never unspecified.</summary>
    public Policy Policy { get; }

    /// <summary>Whether the match may wait for this subscriber: in lockstep, or if a full queue pauses the game.</summary>
    public bool CanDelayMatch => Policy == Policy.Lockstep || (Policy == Policy.Every && Core.Request.Overflow != Overflow.End);

    /// <summary>Whether the code that reads this subscription continues on the publisher's thread.</summary>
    public bool IsInline => Info.DeliverInline;

    /// <summary>The match of this subscription; null if none was announced yet.</summary>
    public MatchDescription? Match => Core.Match;

    /// <summary>The side that the agent plays, or played; null if the agent only watches.</summary>
    public uint? Side => State.Side;

    /// <summary>Whether only the queue and the last event remain to be read.</summary>
    public bool HasEnded => Core.HasEnded;

    /// <summary>Whether the subscription was ended because it used too much memory. If so, soon abort a write that the client does not read.</summary>
    public bool IsCutOff => Core.IsCutOff;

    internal SubscriberCore Core { get; }

    internal SubscriberInfo Info { get; }

    /// <summary>The subscription's node in the registry's list.</summary>
    internal LinkedListNode<Subscription> RegistryNode { get; }

    /// <summary>If two agents command a unit, the agent with the higher priority wins.</summary>
    internal uint Priority => Core.Request.Priority;

    /// <summary>The order of subscribing. Among agents of equal priority, the agent with the lowest order wins.</summary>
    internal long Order { get; }

    /// <summary>The step that the agent works on, or finished last; null if it has taken none.</summary>
    internal ulong? WorkingStep
    {
        get
        {
            using var _ = Core.Enter();
            var steps = Core.Steps;
            return Policy == Policy.Lockstep || (Core.Request.ReportsTimes && Core.Inbox.LastReport is null)
                ? steps.FirstUnanswered ?? steps.NewestTaken
                : Core.Request.ReportsTimes && Core.Inbox.LastReport is { Times.Step: var reported } && reported < steps.NewestTaken
                    ? reported + 1
                    : steps.NewestTaken;
        }
    }

    internal SubscriberState State
    {
        get
        {
            using var _ = Core.Enter();
            var (queue, steps, policy) = (Core.Queue, Core.Steps, Core.Policy);
            return new SubscriberState(
                Name, Info.Transport, Policy, Core.Match?.MatchId, Core.Perspective, queue.Count, queue.Bytes, steps.TakenCount,
                queue.Dropped, steps.NewestTaken, Info.Internal, HasEnded, policy.HoldTime, policy.IsHolding,
                Interlocked.Read(ref _sentBytes), Core.Inbox.LastReport, Core.Side.Side,
                Info.IdentityOrAnonymous.Roles.HasFlag(Roles.Hold));
        }
    }

    /// <summary>Waits for the next frame or event, and reads it. Nothing follows a delivery with IsLast.</summary>
    /// <param name="ct">Cancels this read. Nothing is lost, and the next read continues.</param>
    /// <exception cref="InvalidOperationException">Another read is in progress, or the last delivery was read.</exception>
    /// <exception cref="ObjectDisposedException">The subscription was disposed.</exception>
    public ValueTask<Delivery> ReadAsync(CancellationToken ct) => Core.Reader.ReadAsync(ct);

    /// <summary>
    /// Waits until a frame or event can be read, but leaves it in the queue. Under <see cref="Policy.Latest"/>, a newer frame may
    /// replace a frame that was not read yet.
    /// </summary>
    /// <param name="ct">Cancels the wait.</param>
    /// <exception cref="InvalidOperationException">A read is in progress.</exception>
    /// <exception cref="ObjectDisposedException">The subscription was disposed.</exception>
    public ValueTask WaitUntilReadyAsync(CancellationToken ct) => Core.Reader.WaitUntilReadyAsync(ct);

    /// <summary>Counts the bytes of a frame message that the transport writes.</summary>
    public void CountSent(int bytes) => Interlocked.Add(ref _sentBytes, bytes);

    /// <summary>Completes when the subscription has ended or was disposed. Transports that may be blocked between reads need this.</summary>
    public Task WaitForEndAsync() => Core.WaitForEndAsync();

    /// <summary>
    /// Completes when the agent has reported the times of the last step that it took, or will not report them: it did not
    /// announce reports, ended its stream, or left. Call this method after the last delivery was read.
    /// </summary>
    public Task WaitForLastTimesAsync() => Core.Inbox.WaitForLastTimesAsync();

    /// <summary>Counts a message of the agent. Call this method before each message is handled.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: the agent sends too many messages. Drop the agent.</exception>
    public void AdmitMessage() => Core.Inbox.AdmitMessage();

    /// <summary>
    /// Handles an acknowledgement: actions for the next step, times, and the step that the agent has finished. Under
    /// <see cref="Policy.Lockstep"/>, an acknowledgement that is late, or for a step that was not sent, is answered by a
    /// non-fatal error event.
    /// </summary>
    public void Acknowledge(Acknowledgement acknowledgement) => Core.Inbox.Acknowledge(acknowledgement);

    /// <summary>
    /// Handles actions. Their outcomes come with a later frame; refused actions have outcomes too. An agent that sends actions without
    /// reading frames is dropped. After the subscription has ended, actions have no effect. If the match ended the subscription and
    /// the last event was not read yet, the outcome of the actions is a refusal. Otherwise the actions get no outcome.
    /// </summary>
    /// <param name="actions">The actions. The caller must no longer change them.</param>
    public void Act(Actions actions) => Core.Inbox.Act(actions);

    /// <summary>Returns the match that the agent may query and control. Null if the subscription still waits for a match.</summary>
    /// <exception cref="RequestRefusedException">FAILED_PRECONDITION: the subscription has ended.</exception>
    public MatchDescription? RequireRunning() => Core.Inbox.RequireRunning();

    /// <summary>Call this method when the agent has ended its stream. The agent still gets frames, but no publisher waits for it.</summary>
    public void OnStreamEnded() => Core.Inbox.OnStreamEnded();

    /// <summary>
    /// Ends the subscription because of something that the agent did. No publisher waits for the agent any more. The agent gets
    /// the queued frames and then the reason. The hub reports the reason.
    /// </summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="why">One line, which says what to do instead.</param>
    public void Drop(uint code, string why) => Core.Drop(new RequestRefusedException(code, why));

    /// <summary>Ends the subscription at once: queued frames are released, and no publisher waits for the subscriber any more.</summary>
    public void Dispose() => Core.Close();

    /// <summary>
    /// Queues a published frame if the frame is for this subscriber. Adds this subscriber, and the frames that it lost, to the counts
    /// in the frame. The bridge's own subscribers come last and read these counts. A defect in this call ends this subscriber only.
    /// </summary>
    /// <param name="frame">The frame.</param>
    /// <param name="barrier">The barrier at which the publication can be delayed.</param>
    internal void Offer(ObservationFrame frame, PublishBarrier barrier)
    {
        using var _ = Core.Enter();
        if (!Wants(frame))
        {
            return;
        }

        (var kept, _keptFrame) = (_keptFrame, null);
        if (ReferenceEquals(kept, frame))
        {
            return;
        }

        frame.Subscribers += Info.Internal ? 0 : 1;
        try
        {
            frame.Dropped += Enqueue(frame, barrier);
        }
#pragma warning disable CA1031 // Whatever failed, the other subscribers get the frame.
        catch (Exception defect)
#pragma warning restore CA1031
        {
            frame.Dropped++;
            Core.Queue.Dropped++;
            Core.Fail(defect);
        }
    }

    /// <summary>Queues a frame that was published before this subscriber joined, unless the subscriber was already offered a frame.</summary>
    internal void OfferKeptFrame(ObservationFrame frame)
    {
        using var _ = Core.Enter();
        if (!Wants(frame) || Core.Steps.NewestOffered is not null)
        {
            return;
        }

        _keptFrame = frame;
        try
        {
            RecordOffer(frame, isJump: false);
            Core.Queue.ReplaceFrames(frame);
        }
#pragma warning disable CA1031 // A defect ends this subscriber only.
        catch (Exception defect)
#pragma warning restore CA1031
        {
            Core.Fail(defect);
        }
    }

    /// <summary>Called when a publication has waited for some time. If the policy's deadline has passed, releases the subscriber's hold.</summary>
    /// <returns>True if a hold was released and the subscriber is not dropped.</returns>
    internal bool ReleaseExpiredHold(PublishBarrier barrier, TimeSpan waited)
    {
        using var _ = Core.Enter();
        if (!Core.Policy.ReleaseExpiredHold(barrier, waited, out var drop))
        {
            return false;
        }

        Core.Drop(drop);
        return drop is null;
    }

    private bool Wants(ObservationFrame frame) =>
        Core.Phase == SubscriberPhase.Bound && frame.Header.MatchId == Core.Match!.MatchId
        && (Info.EveryPerspective || frame.Header.Perspective == Core.Perspective);

    private int Enqueue(ObservationFrame frame, PublishBarrier barrier)
    {
        if (Core.Policy.CheckOverdue() is { } overdue)
        {
            Core.Drop(overdue);
            Core.Queue.Dropped++;
            return 1;
        }

        var lost = 0;
        if (frame.Jump is { } jump && !Info.Internal && Core.Steps.NewestOffered is not null)
        {
            // Frames from before the jump are useless to an agent. The log and the recorder need all of them.
            lost = Core.Queue.DropFrames();
            Core.Queue.Notify(new PlayResponse { Playback = jump });
        }

        RecordOffer(frame, isJump: frame.Jump is not null);
        lost += Core.Policy.Offer(frame, Core.Reader.IsAwaited, barrier, out var drop);
        Core.Drop(drop);
        return lost;
    }

    private void RecordOffer(ObservationFrame frame, bool isJump)
    {
        Core.Steps.RecordOffer(frame.Header.Step, isJump);
        Info.OnOffered?.Invoke(frame);
    }
}
