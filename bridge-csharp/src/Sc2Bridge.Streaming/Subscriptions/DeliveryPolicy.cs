using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Decides how a subscription queues frames, and when the game waits for the subscriber. Each policy is a class without threads.
/// All members are called under the subscription's lock.
/// </summary>
/// <remarks>
/// A hold makes a publication wait. Holds are a policy's only effect outside of its subscription. A released publisher never
/// runs inside the lock. The publisher usually continues on a pool thread. After a lockstep acknowledgement, the publisher continues
/// on the thread that releases the result of <see cref="Acknowledge"/>.
/// </remarks>
internal abstract class DeliveryPolicy
{
    private long _heldNs;
    private long? _holdStartedNs;

    /// <summary>Creates the policy of a request.</summary>
    public static DeliveryPolicy Create(
        V1.SubscribeRequest request, string name, in SubscriberInfo info, DeliveryQueue queue, AckTracker steps,
        HubOptions options) => request.Policy switch
        {
            Policy.Lockstep => new LockstepPolicy(queue, steps, options),
            Policy.Latest => new LatestPolicy(queue, request.CanAct, options),
            Policy.Every or Policy.Unspecified => new EveryPolicy(
                queue, name, request.QueueBytes == 0 ? options.DefaultQueueBytes : (long)request.QueueBytes,
                info.PauseBytes, request.Overflow, info.Internal ? Timeout.InfiniteTimeSpan : options.PauseDeadline),
            _ => throw new ArgumentOutOfRangeException(nameof(request), request.Policy, "This bridge does not have the policy: use POLICY_LOCKSTEP, POLICY_LATEST or POLICY_EVERY."),
        };

    /// <summary>The total time that publications have waited for the subscriber, including a current wait.</summary>
    public TimeSpan HoldTime => TimeSpan.FromTicks((_heldNs + (_holdStartedNs is { } since ? MonotonicClock.NowNs - since : 0)) / 100);

    /// <summary>Whether a publication waits for the subscriber now.</summary>
    public bool IsHolding => _holdStartedNs is not null;

    /// <summary>Whether the agent has missed the deadline, so the game no longer waits for it.</summary>
    public virtual bool IsLate => false;

    /// <summary>Called when the subscription is bound to a match.</summary>
    public virtual void Bind(MatchDescription match)
    {
    }

    /// <summary>Called before a frame is offered.</summary>
    /// <returns>Why the subscriber must be dropped; null if it stays.</returns>
    public virtual RequestRefusedException? CheckOverdue() => null;

    /// <summary>Queues a frame.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="isAwaited">Whether the subscriber waits for a frame. If so, it gets this frame at once.</param>
    /// <param name="barrier">The barrier at which the publication can be delayed.</param>
    /// <param name="drop">Why the subscriber must be dropped; null if it stays.</param>
    /// <returns>The number of lost frames.</returns>
    public abstract int Offer(
        ObservationFrame frame, bool isAwaited, PublishBarrier barrier, out RequestRefusedException? drop);

    /// <summary>Called when the subscriber has taken a frame.</summary>
    public virtual void OnDequeued()
    {
    }

    /// <summary>Called when the agent has sent any message.</summary>
    public virtual void OnMessage()
    {
    }

    /// <summary>Called when the agent has acknowledged a step.</summary>
    /// <returns>The hold to release after the lock is released.</returns>
    public virtual BarrierHold Acknowledge(ulong step) => default;

    /// <summary>Called when a publication has waited for some time. If the policy's deadline has passed, releases the subscriber's hold.</summary>
    /// <param name="barrier">The publication's barrier.</param>
    /// <param name="waited">How long the publication has waited.</param>
    /// <param name="drop">Why the subscriber must be dropped; null if it stays.</param>
    /// <returns>True if the publication waited for this subscriber and this call released the subscriber's hold.</returns>
    public virtual bool ReleaseExpiredHold(PublishBarrier barrier, TimeSpan waited, out RequestRefusedException? drop)
    {
        drop = null;
        return false;
    }

    /// <summary>Called when the agent will acknowledge no more steps.</summary>
    public virtual void OnStreamEnded()
    {
    }

    /// <summary>Releases all holds, so that no publication waits for the subscriber.</summary>
    public virtual void ReleaseHolds()
    {
    }

    /// <summary>Starts to measure how long a publication waits for the subscriber.</summary>
    protected void BeginHold() => _holdStartedNs ??= MonotonicClock.NowNs;

    /// <summary>Ends the measurement that <see cref="BeginHold"/> started.</summary>
    protected void EndHold()
    {
        if (_holdStartedNs is { } since)
        {
            (_heldNs, _holdStartedNs) = (_heldNs + MonotonicClock.NowNs - since, null);
        }
    }
}
