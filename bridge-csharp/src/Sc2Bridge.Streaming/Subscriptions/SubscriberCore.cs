using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The state machine of a subscriber, and its one lock. Only <see cref="Bind"/>, <see cref="End"/>, <see cref="CutOff"/> and
/// <see cref="Close"/> change the state.
/// </summary>
/// <remarks>
/// Everything is read and changed between <see cref="Enter"/> and the disposal of what it returns. The effects on others (a
/// reader or a publisher that continues, notices) happen after the lock is released. Nothing is allocated for a frame.
/// </remarks>
internal sealed class SubscriberCore
{
    private readonly Lock _lock = new();
    private readonly Subscription _subscription;
    private readonly SubscriptionRegistry _registry;
    private readonly MemoryShare _memory;
    private TaskCompletionSource? _ended;
    private TaskCompletionSource? _lastTimes;
    private PlayResponse? _reason;
    private string? _notice;
    private int _depth;

    public SubscriberCore(
        Subscription subscription, SubscriberName name, SubscribeRequest request, in SubscriberInfo info, HubOptions options,
        SubscriptionRegistry registry, ActionRelay acting, MemoryLedger memory)
    {
        (_subscription, _registry, Request, Acting) = (subscription, registry, request, acting);
        Perspective = request.HasPerspective ? request.Perspective : null;
        Queue = new DeliveryQueue(SubscriptionRequest.Excluded(request), memory);
        Policy = DeliveryPolicy.For(request, name.Text, info, Queue, Steps, options);
        Seat = new SubscriberSeat(subscription, name, info.Internal, registry);
        Side = new SidePlayed(registry.Sides, request.CanAct);
        _memory = new MemoryShare(Queue, memory, info.TransportBytes);
        Reader = new SubscriptionReader(this, _memory, info.DeliverInline);
        Inbox = new AgentInbox(this, subscription, registry);
    }

    public SubscribeRequest Request { get; }

    public SubscriberPhase Phase { get; private set; }

    /// <summary>The match that it was bound to; null before.</summary>
    public MatchDescription? Match { get; private set; }

    public uint? Perspective { get; private set; }

    /// <summary>Sends actions to the game of its match. Refuses all before it has one.</summary>
    public ActionRelay Acting { get; private set; }

    public bool IsCutOff { get; private set; }

    /// <summary>Whether it has ended for a reason. One that was closed without is not; may be asked without the lock.</summary>
    public bool HasEnded => Volatile.Read(ref _reason) is not null;

    public bool HasFailed => _reason is { Error: not null };

    public bool Runs => Phase < SubscriberPhase.Ended;

    public DeliveryQueue Queue { get; }

    public DeliveryPolicy Policy { get; }

    public AckTracker Steps { get; } = new();

    public SubscriberSeat Seat { get; }

    public SidePlayed Side { get; }

    public SubscriptionReader Reader { get; }

    public AgentInbox Inbox { get; }

    public long Held
    {
        get
        {
            using var _ = Enter();
            return _memory.Held(IsCutOff);
        }
    }

    /// <summary>Takes the lock, which is released with the returned value's disposal. May be nested.</summary>
    public Entered Enter()
    {
        _lock.Enter();
        _depth++;
        return new Entered(this);
    }

    /// <summary>Waiting → Bound; → Ended if the match does not fit the request.</summary>
    public void Bind(MatchDescription match, ActionRelay acting)
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

        (Phase, Match, Acting) = (SubscriberPhase.Bound, match, acting);
        var perspective = SubscriptionRequest.Perspective(Request, match);
        Perspective = perspective;
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
        var why = Errors.HoldsTooMuch(Seat.Name.Text, Queue.Count, _memory.Whole, ceiling);
        var reason = Errors.Fatal(StatusCode.ResourceExhausted, why, Steps.Offered);
        Queue.Abort(reason);
        Ended(reason, why);
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
        _memory.Return();
        _registry.Remove(_subscription, completed);
        _registry.StoppedPlaying(_subscription, played, "left");
    }

    public Task EndedAsync()
    {
        using var _ = Enter();
        return (_ended ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    public Task LastTimesAsync()
    {
        using var _ = Enter();
        return (_lastTimes ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    // Others can have its name, its session and its side now.
    private void Ended(PlayResponse reason, string? notice)
    {
        Phase = SubscriberPhase.Ended;
        Volatile.Write(ref _reason, reason);
        _notice = notice;
        Seat.GiveUp();
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

                if (_lastTimes is not null && !Inbox.AwaitsTimes)
                {
                    _lastTimes.TrySetResult();
                }
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

    /// <summary>Holds the lock until it is disposed.</summary>
    internal readonly ref struct Entered(SubscriberCore core)
    {
        public void Dispose() => core.Leave();
    }
}
