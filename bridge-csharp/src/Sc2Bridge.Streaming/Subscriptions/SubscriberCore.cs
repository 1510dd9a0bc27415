using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The state machine of a subscriber, with its only lock. Only <see cref="Bind"/>, <see cref="End"/>, <see cref="CutOff"/>
/// and <see cref="Close"/> change the state.
/// </summary>
/// <remarks>
/// The state is read and changed only between <see cref="Enter"/> and the disposal of its result. Reads complete, notices are
/// raised, and publishers continue only after the lock is released.
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
    private PlayResponse? _endReason;
    private (string Why, AgentTroubleKind Trouble)? _notice;
    private bool _hasName = true;
    private bool _isCounted;
    private bool _wasDropped;
    private int _lockDepth;

    public SubscriberCore(
        Subscription subscription, in SubscriberName name, SubscribeRequest request, HubOptions options, SubscriptionRegistry registry,
        PublishedPerspectives perspectives, MemoryLedger memory)
    {
        (_subscription, _name, Request, _registry, _perspectives, _memory) =
            (subscription, name, request, registry, perspectives, memory);
        (Perspective, SideActions) = (request.HasPerspective ? request.Perspective : null, perspectives.NoMatchActions);
        SessionId = subscription.Info.Internal ? "" : registry.Sessions.Open(subscription);
        Queue = new DeliveryQueue(SubscriptionRequest.Excluded(request), memory);
        Policy = DeliveryPolicy.Create(request, name.Text, subscription.Info, Queue, Steps, options);
        Side = new AgentSide(registry.Sides, request.CanAct);
        Reader = new SubscriptionReader(this, subscription.Info.DeliverInline);
        Inbox = new AgentInbox(this, subscription, registry);
        memory.Add(MemoryAccount.Subscribers, subscription.Info.TransportBytes);
    }

    public SubscribeRequest Request { get; }

    /// <summary>The name that the subscriber asked for. Another subscription may already have this name.</summary>
    public string WantedName => _name.Wanted;

    public string SessionId { get; }

    public SubscriberPhase Phase { get; private set; }

    /// <summary>The match that the subscriber is bound to; null while it waits for a match. May be read without the lock.</summary>
    public MatchDescription? Match { get; private set; }

    public uint? Perspective { get; private set; }

    /// <summary>Sends the agent's actions to the game. While the subscriber has no match, all actions are refused.</summary>
    public SideActions SideActions { get; private set; }

    public bool IsCutOff { get; private set; }

    /// <summary>Whether the subscriber has ended with a reason. False if it was only closed. May be read without the lock.</summary>
    public bool HasEnded => Volatile.Read(ref _endReason) is not null;

    public bool IsRunning => Phase < SubscriberPhase.Ended;

    public DeliveryQueue Queue { get; }

    public DeliveryPolicy Policy { get; }

    public AckTracker Steps { get; } = new();

    public AgentSide Side { get; }

    public SubscriptionReader Reader { get; }

    public AgentInbox Inbox { get; }

    /// <summary>Enters the lock. Disposing the result leaves the lock. Calls may be nested.</summary>
    public Entered Enter()
    {
        _lock.Enter();
        _lockDepth++;
        return new Entered(this);
    }

    /// <summary>Waiting → Bound, or Waiting → Ended if the match does not fit the request.</summary>
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
        SideActions = _perspectives.Of(perspective).SideActions;
        Policy.Bind(match);
        Side.Begin(perspective);
    }

    /// <summary>
    /// Waiting, Bound → Ended. The subscriber gets the reason after the queued frames. The notice goes to the person who runs
    /// the match.
    /// </summary>
    public void End(PlayResponse reason, (string Why, AgentTroubleKind Trouble)? notice = null)
    {
        using var _ = Enter();
        if (IsRunning)
        {
            Queue.EnqueueLast(reason);
            SetEnded(reason, notice);
        }
    }

    /// <summary>Waiting, Bound → Ended because of something that the agent did or did not do. If the reason is null, nothing happens.</summary>
    public void Drop(RequestRefusedException? why)
    {
        using var _ = Enter();
        if (why is not null)
        {
            End(Errors.Fatal(why.Code, why.Message, Steps.NewestOffered), (why.Message, why.Trouble));
        }
    }

    /// <summary>Waiting, Bound → Ended because of a defect of the bridge, which is logged.</summary>
    public void Fail(Exception defect)
    {
        _registry.OnFailed(_subscription, defect);
        Drop(new RequestRefusedException(StatusCode.Internal, $"the bridge failed: {defect.Message}") { Trouble = AgentTroubleKind.BridgeFailed });
    }

    /// <summary>Waiting, Bound, Ended → Ended. The queue is dropped, because the bridge uses too much memory.</summary>
    public void CutOff(long ceilingBytes)
    {
        using var _ = Enter();
        if (Phase == SubscriberPhase.Closed || IsCutOff || Queue.IsLastRead)
        {
            return;
        }

        IsCutOff = true;
        var why = Errors.UsesTooMuchMemory(_name.Text, Queue.Count, Reader.HeldBytes, ceilingBytes);
        SetEnded(Queue.AbortWith(Errors.Fatal(StatusCode.ResourceExhausted, why, Steps.NewestOffered)), (why, AgentTroubleKind.TooFarBehind));
    }

    /// <summary>Any → Closed. Queued frames are released, and no publisher waits for the subscriber any more.</summary>
    public void Close()
    {
        uint? played;
        bool completed;
        AgentTroubleKind? trouble;
        using (Enter())
        {
            if (Phase == SubscriberPhase.Closed)
            {
                return;
            }

            completed = Queue.IsLastRead && !Inbox.OwesTimes;
            trouble = completed || _subscription.Info.Internal || _wasDropped || Phase == SubscriberPhase.Waiting ? null
                : Phase == SubscriberPhase.Bound ? AgentTroubleKind.Left : AgentTroubleKind.LeftAfterEnd;
            Phase = SubscriberPhase.Closed;
            played = Side.Stop();
            Queue.Clear();
            Policy.ReleaseHolds();
        }

        Reader.Close();
        _memory.Add(MemoryAccount.Subscribers, -_subscription.Info.TransportBytes);
        _registry.Remove(_subscription, completed, trouble);
        _registry.OnStoppedPlaying(_subscription, played, endedStream: false);
    }

    /// <summary>Call this method when the subscriber was added to the registry.</summary>
    /// <returns>Whether the subscriber counts as running.</returns>
    public bool MarkCounted()
    {
        using var _ = Enter();
        return _isCounted = _hasName && !_subscription.Info.Internal;
    }

    /// <summary>Frees the subscriber's name and ends its session. Only the first call has an effect.</summary>
    public void ReleaseName()
    {
        using var _ = Enter();
        if (_hasName)
        {
            _hasName = false;
            _registry.OnEnded(_name, SessionId, _isCounted);
        }
    }

    public Task WaitForEndAsync()
    {
        using var _ = Enter();
        return (_ended ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    private void SetEnded(PlayResponse reason, (string Why, AgentTroubleKind Trouble)? notice)
    {
        Phase = SubscriberPhase.Ended;
        Volatile.Write(ref _endReason, reason);
        _notice = notice;
        _wasDropped = notice is not null;
        ReleaseName();
        Side.Stop();
        Policy.ReleaseHolds();
    }

    private void ExitLock()
    {
        var completesRead = false;
        Delivery delivery = default;
        (string Why, AgentTroubleKind Trouble)? notice = null;
        try
        {
            if (_lockDepth == 1)
            {
                completesRead = Reader.TryComplete(out delivery);
                (notice, _notice) = (_notice, null);
                if (_ended is not null && !IsRunning)
                {
                    _ended.TrySetResult();
                }

                Inbox.CompleteLastTimes();
            }
        }
        finally
        {
            _lockDepth--;
            _lock.Exit();
        }

        if (completesRead)
        {
            Reader.Complete(delivery);
        }

        if (notice is var (why, trouble))
        {
            _registry.OnDropped(_subscription, why, trouble);
        }
    }

    internal readonly ref struct Entered(SubscriberCore core)
    {
        public void Dispose() => core.ExitLock();
    }
}
