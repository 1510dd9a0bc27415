using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The state machine of a subscriber, and its one lock. Only <see cref="Bind"/>, <see cref="End"/>, <see cref="CutOff"/> and
/// <see cref="Close"/> change the state.
/// </summary>
/// <remarks>
/// Everything is read and changed between <see cref="Enter"/> and the disposal of what it returns. The effects on others (a
/// reader or a publisher that continues, notices) happen after the lock is released.
/// </remarks>
internal sealed class SubscriberCore
{
    private readonly Lock _lock = new();
    private readonly Subscription _subscription;
    private readonly SubscriberName _name;
    private readonly SubscriptionRegistry _registry;
    private readonly PublishedPerspectives _perspectives;
    private readonly MemoryLedger _memory;
    private TaskCompletionSource? _ended;
    private PlayResponse? _reason;
    private string? _notice;
    private bool _hasSeat = true;
    private bool _isCounted;
    private int _depth;

    public SubscriberCore(
        Subscription subscription, in SubscriberName name, SubscribeRequest request, HubOptions options, SubscriptionRegistry registry,
        PublishedPerspectives perspectives, MemoryLedger memory)
    {
        (_subscription, _name, Request, _registry, _perspectives, _memory) =
            (subscription, name, request, registry, perspectives, memory);
        (Perspective, Acting) = (request.HasPerspective ? request.Perspective : null, perspectives.Idle);
        SessionId = subscription.Info.Internal ? "" : registry.Sessions.Open(subscription);
        Queue = new DeliveryQueue(SubscriptionRequest.Excluded(request), memory);
        Policy = DeliveryPolicy.For(request, name.Text, subscription.Info, Queue, Steps, options);
        Side = new SidePlayed(registry.Sides, request.CanAct);
        Reader = new SubscriptionReader(this, subscription.Info.DeliverInline);
        Inbox = new AgentInbox(this, subscription, registry);
        memory.Add(MemoryAccount.Subscribers, subscription.Info.TransportBytes);
    }

    public SubscribeRequest Request { get; }

    /// <summary>The name that it asked for: another subscription may have it already.</summary>
    public string WantedName => _name.Wanted;

    public string SessionId { get; }

    public SubscriberPhase Phase { get; private set; }

    /// <summary>The match that it was bound to; null before. May be asked without the lock.</summary>
    public MatchDescription? Match { get; private set; }

    public uint? Perspective { get; private set; }

    /// <summary>Sends actions to the game of its match. Refuses all before it has one.</summary>
    public SideActions Acting { get; private set; }

    public bool IsCutOff { get; private set; }

    /// <summary>Whether it has ended for a reason. One that was closed without is not; may be asked without the lock.</summary>
    public bool HasEnded => Volatile.Read(ref _reason) is not null;

    public bool Runs => Phase < SubscriberPhase.Ended;

    public DeliveryQueue Queue { get; }

    public DeliveryPolicy Policy { get; }

    public AckTracker Steps { get; } = new();

    public SidePlayed Side { get; }

    public SubscriptionReader Reader { get; }

    public AgentInbox Inbox { get; }

    /// <summary>Takes the lock, which is released with the returned value's disposal. May be nested.</summary>
    public Entered Enter()
    {
        _lock.Enter();
        _depth++;
        return new Entered(this);
    }

    /// <summary>Waiting → Bound; → Ended if the match does not fit the request.</summary>
    public void Bind(MatchDescription match)
    {
        using var _ = Enter();
        if (Phase != SubscriberPhase.Waiting)
        {
            return;
        }

        if (SubscriptionRequest.Mismatch(Request, match) is { } refusal)
        {
            End(Errors.Fatal(refusal.Code, refusal.Message));
            return;
        }

        var perspective = SubscriptionRequest.Perspective(Request, match);
        (Phase, Match, Perspective) = (SubscriberPhase.Bound, match, perspective);
        Acting = _perspectives.Of(perspective).Acting;
        Policy.Bind(match);
        Side.Begin(perspective);
    }

    /// <summary>Waiting, Bound → Ended: after what is queued the reader gets the reason. The notice is for people.</summary>
    public void End(PlayResponse reason, string? notice = null)
    {
        using var _ = Enter();
        if (Runs)
        {
            Queue.Finish(reason);
            Ended(reason, notice);
        }
    }

    /// <summary>Waiting, Bound → Ended because of what its agent did or did not do; nothing if there is no refusal.</summary>
    public void Drop(RequestRefusedException? why)
    {
        using var _ = Enter();
        if (why is not null)
        {
            End(Errors.Fatal(why.Code, why.Message, Steps.Offered), why.Message);
        }
    }

    /// <summary>Waiting, Bound → Ended because of a defect of the bridge, which is logged.</summary>
    public void Fail(Exception defect)
    {
        _registry.Failed(_subscription, defect);
        Drop(new RequestRefusedException(StatusCode.Internal, $"the bridge failed: {defect.Message}"));
    }

    /// <summary>Waiting, Bound, Ended → Ended: what is queued is dropped, as the bridge holds too much memory.</summary>
    public void CutOff(long ceiling)
    {
        using var _ = Enter();
        if (Phase == SubscriberPhase.Closed || IsCutOff || Queue.IsReadOut)
        {
            return;
        }

        IsCutOff = true;
        var why = Errors.HoldsTooMuch(_name.Text, Queue.Count, Reader.Held, ceiling);
        Ended(Queue.Abort(Errors.Fatal(StatusCode.ResourceExhausted, why, Steps.Offered)), why);
    }

    /// <summary>Any → Closed: queued frames are released, and no publisher waits for it.</summary>
    public void Close()
    {
        uint? played;
        bool completed;
        using (Enter())
        {
            if (Phase == SubscriberPhase.Closed)
            {
                return;
            }

            completed = Queue.IsReadOut && !Inbox.OwesTimes;
            Phase = SubscriberPhase.Closed;
            played = Side.Stop();
            Queue.Clear();
            Policy.ReleaseHolds();
        }

        Reader.Close();
        _memory.Add(MemoryAccount.Subscribers, -_subscription.Info.TransportBytes);
        _registry.Remove(_subscription, completed);
        _registry.StoppedPlaying(_subscription, played, "left");
    }

    /// <summary>It was added to the registry.</summary>
    /// <returns>Whether it counts as a subscriber that runs.</returns>
    public bool Count()
    {
        using var _ = Enter();
        return _isCounted = _hasSeat && !_subscription.Info.Internal;
    }

    /// <summary>Another may have its name, and its session has ended; only the first call counts.</summary>
    public void GiveUpSeat()
    {
        using var _ = Enter();
        if (_hasSeat)
        {
            _hasSeat = false;
            _registry.Ended(_name, SessionId, _isCounted);
        }
    }

    public Task EndedAsync()
    {
        using var _ = Enter();
        return (_ended ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    private void Ended(PlayResponse reason, string? notice)
    {
        Phase = SubscriberPhase.Ended;
        Volatile.Write(ref _reason, reason);
        _notice = notice;
        GiveUpSeat();
        Side.Stop();
        Policy.ReleaseHolds();
    }

    private void Leave()
    {
        var readEnds = false;
        Delivery delivery = default;
        string? notice = null;
        try
        {
            if (_depth == 1)
            {
                readEnds = Reader.TryEnd(out delivery);
                (notice, _notice) = (_notice, null);
                if (_ended is not null && !Runs)
                {
                    _ended.TrySetResult();
                }

                Inbox.CompleteLastTimes();
            }
        }
        finally
        {
            _depth--;
            _lock.Exit();
        }

        if (readEnds)
        {
            Reader.Deliver(delivery);
        }

        if (notice is not null)
        {
            _registry.Dropped(_subscription, notice);
        }
    }

    internal readonly ref struct Entered(SubscriberCore core)
    {
        public void Dispose() => core.Leave();
    }
}
