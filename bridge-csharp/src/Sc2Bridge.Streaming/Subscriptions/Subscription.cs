using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// One subscriber: a bounded queue under its policy, from the publisher to its reader. The agent's messages are handled
/// in Subscription.Agent.cs. Any thread may call any member; only one read may be pending.
/// </summary>
/// <remarks>
/// One lock: state changes under it. The effects of a change (a delivery for a waiting reader, a publisher that
/// continues, events) happen after it is released. In steady state nothing is allocated for a frame.
/// </remarks>
public sealed partial class Subscription : IDisposable
{
    // How long a write takes at most whose reader keeps up, and what its queue holds beside frames.
    private const int StuckMs = 1000;
    private const int MostOwn = 64 << 10;

    private readonly Lock _lock = new();
    private readonly V1.SubscribeRequest _request;
    private readonly SubscriptionRegistry _registry;
    private readonly DeliveryQueue _queue;
    private readonly DeliveryPolicy _policy;
    private readonly MemoryLedger _memory;
    private readonly AckTracker _steps = new();
    private readonly PendingRead _read;
    private TaskCompletionSource? _ended;
    private MatchDescription? _match;
    private uint? _perspective;
    private string? _dropReason;
    private TimesReport? _lastReport;
    private long _sentBytes;
    private bool _reading;
    private bool _closed;
    private int _inHand;
    private long _takenAt;
    private bool _counted;
    private bool _named = true;

    // Until the next frame is offered: it may be the same one, whose publication was under way.
    private ObservationFrame? _kept;

    internal Subscription(
        SubscriberName name, long order, V1.SubscribeRequest request, SubscriberInfo info, HubOptions options,
        SubscriptionRegistry registry, ActionRelay acting, MemoryLedger memory)
    {
        TakenName = name;
        Place = new(this);
        Order = order;
        Policy = request.Policy == Policy.Unspecified ? Policy.Every : request.Policy;
        Info = info;
        _request = request;
        _registry = registry;
        _acting = acting;
        _perspective = request.HasPerspective ? request.Perspective : null;
        _queue = new DeliveryQueue(SubscriptionRequest.Excluded(request), memory);
        _policy = DeliveryPolicy.For(request, Name, info, _queue, _steps, options);
        _read = new PendingRead(info.DeliverInline, GiveUpRead);
        _messages = new MessageRateLimiter();
        _quota = request.CanAct ? new ActionQuota() : null;
        _plays = request.CanAct;
        _memory = memory;
        SessionId = info.Internal ? "" : registry.Sessions.Open(this);
        memory.Add(MemoryAccount.Subscribers, info.TransportBytes);
    }

    /// <summary>Unique among the hub's subscribers.</summary>
    public string Name => TakenName.Text;

    /// <summary>The secret with which calls on other connections belong to it; empty for one of the bridge's own.</summary>
    public string SessionId { get; }

    /// <summary>The first event of its stream: the answer to its request.</summary>
    /// <param name="requestId">Of the request.</param>
    public PlayResponse Answer(uint requestId) => new()
    {
        RequestId = requestId,
        Subscribe = new SubscribeResponse { SessionId = SessionId, Name = Name },
    };

    /// <summary>Never unspecified.</summary>
    public Policy Policy { get; }

    /// <summary>Whether the match may wait for it: in lockstep, or where a full queue pauses the game.</summary>
    public bool MayHold => Policy == Policy.Lockstep || (Policy == Policy.Every && _request.Overflow != Overflow.End);

    /// <summary>Whether its reader continues on the thread that delivers.</summary>
    public bool IsInline => Info.DeliverInline;

    /// <summary>The match that it is bound to; null where none was announced yet.</summary>
    public MatchDescription? Match
    {
        get
        {
            lock (_lock)
            {
                return _match;
            }
        }
    }

    internal SubscriberInfo Info { get; }

    /// <summary>Its name, as it was taken.</summary>
    internal SubscriberName TakenName { get; }

    /// <summary>Where it stands among the subscriptions; the registry's.</summary>
    internal LinkedListNode<Subscription> Place { get; }

    /// <summary>Whether nothing follows but what is queued, and the last event.</summary>
    public bool HasEnded
    {
        get
        {
            lock (_lock)
            {
                return _queue.HasEnded;
            }
        }
    }

    /// <summary>
    /// Whether it was ended because it held too much memory: a write that its reader leaves unread is to be cut off soon.
    /// </summary>
    public bool IsCutOff { get; private set; }

    /// <summary>
    /// Bytes of memory that are held for it because it does not keep up: frames that wait and the one that is being
    /// written, whole, and its queue's own. 0 for one that keeps up.
    /// </summary>
    internal long Held
    {
        get
        {
            lock (_lock)
            {
                var isStuck = _inHand > 0 && Environment.TickCount64 - _takenAt > StuckMs;
                return isStuck || IsCutOff || _queue.Count > 1 || _queue.Own > MostOwn ? _queue.Held + _inHand : 0;
            }
        }
    }

    internal SubscriberState State
    {
        get
        {
            lock (_lock)
            {
                return new SubscriberState(
                    Name, Info.Transport, Policy, _match?.MatchId, _perspective, _queue.Count, _queue.Bytes, _steps.Delivered,
                    _queue.Dropped, _steps.Taken, Info.Internal, _queue.HasEnded,
                    TimeSpan.FromTicks(_policy.Held.TotalNs / 100), _policy.Held.IsWaiting, Interlocked.Read(ref _sentBytes),
                    _lastReport, PlayedSide);
            }
        }
    }

    /// <summary>
    /// The next frame or event; waits until there is one. After a delivery with IsLast there is nothing.
    /// </summary>
    /// <param name="ct">Cancels this read; nothing is lost, the next one continues.</param>
    /// <exception cref="InvalidOperationException">Another read is under way, or the last delivery was
    /// read.</exception>
    /// <exception cref="ObjectDisposedException">The subscription was disposed.</exception>
    public ValueTask<Delivery> ReadAsync(CancellationToken ct)
    {
        if (ct.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<Delivery>(ct);
        }

        lock (_lock)
        {
            BeginRead();
            if (TryTake(out var delivery))
            {
                return new ValueTask<Delivery>(delivery);
            }

            _read.Begin(takes: true);
            _reading = true;
        }

        return _read.WaitAsync(ct);
    }

    /// <summary>Its transport writes a frame's message.</summary>
    /// <param name="bytes">Its length.</param>
    public void Sent(int bytes) => Interlocked.Add(ref _sentBytes, bytes);

    /// <summary>
    /// Waits until there is something to read, and leaves it where it is: under <see cref="Policy.Latest"/> a newer frame
    /// may still replace it until it is read.
    /// </summary>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="InvalidOperationException">A read is under way.</exception>
    /// <exception cref="ObjectDisposedException">The subscription was disposed.</exception>
    public ValueTask ReadyAsync(CancellationToken ct)
    {
        if (ct.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(ct);
        }

        lock (_lock)
        {
            BeginRead();
            if (_queue.HasNext)
            {
                return ValueTask.CompletedTask;
            }

            _read.Begin(takes: false);
            _reading = true;
        }

        return _read.ReadyAsync(ct);
    }

    /// <summary>
    /// Completes when nothing follows but what is queued, and the last event: for a transport whose reader may be
    /// stuck.
    /// </summary>
    public Task EndedAsync()
    {
        lock (_lock)
        {
            _ended ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            CheckWaits();
            return _ended.Task;
        }
    }

    /// <summary>
    /// Ends it at once: queued frames are released, and no publisher waits for this subscriber any longer.
    /// </summary>
    public void Dispose()
    {
        bool reading, completed;
        uint? played;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            _closed = true;
            played = Played;
            completed = _queue.IsReadOut && !(_request.ReportsTimes && _steps.OwesTimes);
            (reading, _reading) = (_reading, false);
            StopPlaying();
            CheckWaits();
            _queue.Clear();
            _policy.ReleaseHolds();
        }

        if (reading)
        {
            _read.Fail(new ObjectDisposedException(nameof(Subscription)));
        }

        _memory.Add(MemoryAccount.Subscribers, -Info.TransportBytes);
        _registry.Remove(this, completed);
        if (played is { } side)
        {
            _registry.StoppedPlaying(this, side, "left");
        }
    }

    /// <summary>Binds it to a match, or ends it where the match does not fit the request.</summary>
    /// <param name="match">The match.</param>
    /// <param name="acting">Sends actions to the match's game.</param>
    internal void Bind(MatchDescription match, ActionRelay acting)
    {
        Change change;
        lock (_lock)
        {
            if (_closed || _queue.HasEnded || _match is not null)
            {
                return;
            }

            if (SubscriptionRequest.Mismatch(_request, match) is { } refusal)
            {
                End(Errors.Fatal(refusal.Code, refusal.Message));
            }
            else
            {
                (_match, _acting) = (match, acting);
                _perspective = SubscriptionRequest.Perspective(_request, match);
                _policy.Bind(match);
                if (Played is { } side)
                {
                    _registry.Sides.Add(side);
                }
            }

            change = Settle();
        }

        Apply(change);
    }

    /// <summary>It was added: whether it counts as a subscriber that runs.</summary>
    internal bool Count()
    {
        lock (_lock)
        {
            return _counted = _named && !Info.Internal;
        }
    }

    /// <summary>Nothing follows any more, or there is no reader: another may have its name.</summary>
    internal void GiveUpName()
    {
        lock (_lock)
        {
            ReturnName();
        }
    }

    /// <summary>
    /// Queues a published frame, if it is for this subscriber, and counts subscribers and dropped frames in it; the
    /// bridge's own subscribers come last, and read the counts.
    /// </summary>
    /// <param name="frame">The frame.</param>
    /// <param name="barrier">Where to hold its publication back.</param>
    internal void Offer(ObservationFrame frame, PublishBarrier barrier)
    {
        Change change;
        lock (_lock)
        {
            if (_closed || _queue.HasEnded || frame.Header.MatchId != _match?.MatchId
                || !(Info.EveryPerspective || frame.Header.Perspective == _perspective))
            {
                return;
            }

            var isKept = ReferenceEquals(_kept, frame);
            _kept = null;
            if (isKept)
            {
                return;
            }

            frame.Subscribers += Info.Internal ? 0 : 1;
            frame.Dropped += Take(frame, barrier);
            change = Settle();
        }

        Apply(change);
    }

    /// <summary>
    /// Queues a frame that was published before it came, unless it has been offered one.
    /// </summary>
    /// <param name="frame">Of its perspective.</param>
    internal void OfferKept(ObservationFrame frame)
    {
        Change change;
        lock (_lock)
        {
            if (_closed || _queue.HasEnded || _steps.Offered is not null || frame.Header.MatchId != _match?.MatchId)
            {
                return;
            }

            _kept = frame;
            _steps.Offer(frame.Header.Step, isJump: false);
            Info.OnOffered?.Invoke(frame);
            _queue.Replace(frame);
            change = Settle();
        }

        Apply(change);
    }

    /// <summary>
    /// A publication has waited for some time: releases the hold on it once this policy's deadline passed.
    /// </summary>
    /// <returns>True where a hold was released and the subscriber is not dropped for it.</returns>
    internal bool Expire(PublishBarrier barrier, TimeSpan passed)
    {
        Change change;
        lock (_lock)
        {
            if (_closed || !_policy.Expire(barrier, passed, out var drop))
            {
                return false;
            }

            Drop(drop);
            change = Settle();
        }

        Apply(change);
        return change.DropReason is null;
    }

    /// <summary>Drops what is queued and ends it, as the bridge holds too much memory.</summary>
    /// <param name="ceiling">How much it may, in bytes.</param>
    internal void CutOff(long ceiling)
    {
        Change change;
        lock (_lock)
        {
            if (_closed || IsCutOff || _queue.IsReadOut)
            {
                return;
            }

            IsCutOff = true;
            var why = Errors.HoldsTooMuch(Name, _queue.Count, _queue.Held + _inHand, ceiling);
            _queue.Abort(Errors.Fatal(StatusCode.ResourceExhausted, why, _steps.Offered));
            EndOthers();
            _dropReason = why;
            change = Settle();
        }

        Apply(change);
    }

    /// <summary>Ends the subscription with this event, after what is queued.</summary>
    internal void Finish(PlayResponse last)
    {
        Change change;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            End(last);
            change = Settle();
        }

        Apply(change);
    }

    // Everything below runs under the lock, except Apply.
    private int Take(ObservationFrame frame, PublishBarrier barrier)
    {
        if (_policy.Overdue() is { } overdue)
        {
            Drop(overdue);
            _queue.CountDropped();
            return 1;
        }

        var lost = 0;
        if (frame.Jump is { } jump && !Info.Internal && _steps.Offered is not null)
        {
            // Frames from before the jump are of no use to an agent. The log and the recorder want all of them.
            lost = _queue.DropFrames();
            _queue.Notify(new PlayResponse { Playback = jump });
        }

        _steps.Offer(frame.Header.Step, isJump: frame.Jump is not null);
        Info.OnOffered?.Invoke(frame);
        lost += _policy.Offer(frame, _reading && _read.Takes, barrier, out var drop);
        Drop(drop);
        return lost;
    }

    private bool TryTake(out Delivery delivery)
    {
        if (!_queue.TryTake(out delivery))
        {
            return false;
        }

        if (delivery.Frame is { } frame)
        {
            _inHand = frame.Capacity;
            _takenAt = Environment.TickCount64;
            _steps.Take(frame.Header.Step);
            _messages.Refill();
            _policy.Take();
        }

        return true;
    }

    // Completes what waits for the subscription's end, or for its agent's last times.
    private void CheckWaits()
    {
        if (_ended is not null && (_closed || _queue.HasEnded))
        {
            _ended.TrySetResult();
        }

        if (_lastTimes is not null && !OwesTimes)
        {
            _lastTimes.TrySetResult();
        }
    }

    private void BeginRead()
    {
        // Who reads again has let go of the last delivery.
        _inHand = 0;
        ObjectDisposedException.ThrowIf(_closed, typeof(Subscription));
        if (_reading)
        {
            throw new InvalidOperationException("A read is under way: read one delivery at a time.");
        }
    }

    private bool GiveUpRead()
    {
        lock (_lock)
        {
            var reading = _reading;
            _reading = false;
            return reading;
        }
    }

    private void Drop(RequestRefusedException? why)
    {
        if (why is not null)
        {
            _dropReason = _queue.HasEnded ? _dropReason : why.Message;
            End(Errors.Fatal(why.Code, why.Message, _steps.Offered));
        }
    }

    private void End(PlayResponse last)
    {
        _queue.Finish(last);
        EndOthers();
    }

    private void EndOthers()
    {
        ReturnName();
        StopPlaying();
        _policy.ReleaseHolds();
    }

    private void ReturnName()
    {
        if (_named)
        {
            _named = false;
            _registry.Ended(this, _counted);
        }
    }

    // Collects the effects of a change, for Apply.
    private Change Settle()
    {
        CheckWaits();
        Delivery delivery = default;
        var ends = _reading && (_read.Takes ? TryTake(out delivery) : _queue.HasNext);
        _reading &= !ends;
        var change = new Change(ends, delivery, _dropReason);
        _dropReason = null;
        return change;
    }

    private void Apply(in Change change)
    {
        if (change.EndsRead)
        {
            _read.Deliver(change.Delivery);
        }

        if (change.DropReason is { } why)
        {
            _registry.Dropped(this, why);
        }
    }

    /// <summary>The effects of a change of the state.</summary>
    /// <param name="EndsRead">Whether the pending read completes.</param>
    /// <param name="Delivery">What it gets; default where it takes nothing, or goes on waiting.</param>
    /// <param name="DropReason">Why the subscriber is dropped; null where it is not.</param>
    private readonly record struct Change(bool EndsRead, Delivery Delivery, string? DropReason);
}
