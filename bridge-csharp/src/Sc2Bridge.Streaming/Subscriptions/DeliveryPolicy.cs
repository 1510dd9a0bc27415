using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// How a subscription queues frames, and when the game waits for it: one class for each policy, plain state without
/// threads. Every member is called under the subscription's lock.
/// </summary>
/// <remarks>
/// A policy takes and releases holds on a publication; it calls nothing back. The publisher continues after the lock is
/// released: on a pool thread, or, for a lockstep acknowledgement, on the thread that releases what
/// <see cref="Acknowledge"/> returns.
/// </remarks>
internal abstract class DeliveryPolicy
{
    private long _heldNs;
    private long? _sinceNs;

    /// <summary>The policy that a subscriber asked for.</summary>
    public static DeliveryPolicy For(
        V1.SubscribeRequest request, string name, in SubscriberInfo info, DeliveryQueue queue, AckTracker steps,
        HubOptions options) => request.Policy switch
        {
            Policy.Lockstep => new LockstepPolicy(queue, steps, options),
            Policy.Latest => new LatestPolicy(queue, request.CanAct, options),
            Policy.Every or Policy.Unspecified => new EveryPolicy(
                queue, name, request.QueueBytes == 0 ? options.DefaultQueueBytes : (long)request.QueueBytes,
                info.PauseBytes, request.Overflow, info.Internal ? Timeout.InfiniteTimeSpan : options.PauseDeadline),
            _ => throw new ArgumentOutOfRangeException(nameof(request), request.Policy, "No policy of this bridge."),
        };

    /// <summary>For how long publications have waited for the subscriber, the wait that goes on included.</summary>
    public TimeSpan Held => TimeSpan.FromTicks((_heldNs + (_sinceNs is { } since ? MonotonicClock.NowNs - since : 0)) / 100);

    /// <summary>Whether one waits now.</summary>
    public bool IsHolding => _sinceNs is not null;

    /// <summary>Whether the game has given up waiting for the agent.</summary>
    public virtual bool IsLate => false;

    /// <summary>The subscription was bound to a match.</summary>
    public virtual void Bind(MatchDescription match)
    {
    }

    /// <summary>Called before a frame is offered.</summary>
    /// <returns>Why the subscriber is dropped instead; null where it is not.</returns>
    public virtual RequestRefusedException? Overdue() => null;

    /// <summary>Queues a frame.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="isAwaited">A reader waits, so the frame goes straight to it.</param>
    /// <param name="barrier">Where to hold its publication back.</param>
    /// <param name="drop">Why the subscriber is dropped instead; null where it is not.</param>
    /// <returns>Frames lost.</returns>
    public abstract int Offer(
        ObservationFrame frame, bool isAwaited, PublishBarrier barrier, out RequestRefusedException? drop);

    /// <summary>The reader has taken a frame.</summary>
    public virtual void Take()
    {
    }

    /// <summary>The agent has sent a message of any kind.</summary>
    public virtual void MessageReceived()
    {
    }

    /// <summary>The agent has acknowledged a step.</summary>
    /// <returns>What to release once the lock is released.</returns>
    public virtual BarrierHold Acknowledge(ulong step) => default;

    /// <summary>A publication has waited for some time.</summary>
    /// <param name="barrier">Its publisher's.</param>
    /// <param name="passed">How long.</param>
    /// <param name="drop">Why the subscriber is dropped; null where it is not.</param>
    /// <returns>Whether it waited for this subscriber, and has now given up.</returns>
    public virtual bool Expire(PublishBarrier barrier, TimeSpan passed, out RequestRefusedException? drop)
    {
        drop = null;
        return false;
    }

    /// <summary>The agent will not acknowledge any more steps.</summary>
    public virtual void EndAnswers()
    {
    }

    /// <summary>Releases every hold: no publication waits for the subscriber any longer.</summary>
    public virtual void ReleaseHolds()
    {
    }

    /// <summary>A publication begins to wait for the subscriber.</summary>
    protected void BeginHold() => _sinceNs ??= MonotonicClock.NowNs;

    /// <summary>None waits any longer.</summary>
    protected void EndHold()
    {
        if (_sinceNs is { } since)
        {
            (_heldNs, _sinceNs) = (_heldNs + MonotonicClock.NowNs - since, null);
        }
    }
}
