using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What a subscription does with a frame that its reader has not yet taken the one before of, and whether the game waits
/// for it: one class for each policy, plain state without threads. All is called under the subscription's lock.
/// </summary>
/// <remarks>
/// Whatever holds a publication back lets go of it here too; nothing is called back. A publisher goes on after
/// the lock is open, on a thread of the pool or, upon a lockstep answer, on that of whoever releases what
/// <see cref="Acknowledge"/> returns.
/// </remarks>
internal abstract class DeliveryPolicy
{
    /// <summary>The policy that a subscriber asked for.</summary>
    public static DeliveryPolicy For(
        V1.SubscribeRequest request, string name, bool isInternal, DeliveryQueue queue, AckTracker steps,
        HubOptions options) => request.Policy switch
        {
            Policy.Lockstep => new LockstepPolicy(queue, steps, options),
            Policy.Latest => new LatestPolicy(queue, request.CanAct ? new IdleTimeout(options) : null),
            Policy.Every or Policy.Unspecified => new EveryPolicy(
                queue, name, request.QueueBytes == 0 ? options.DefaultQueueBytes : (long)request.QueueBytes,
                request.Overflow, isInternal ? Timeout.InfiniteTimeSpan : options.PauseDeadline),
            _ => throw new ArgumentOutOfRangeException(nameof(request), request.Policy, "No policy of this bridge."),
        };

    /// <summary>Whether the game waits for the agent no longer.</summary>
    public virtual bool IsLate => false;

    /// <summary>The match is known that the subscription is bound to.</summary>
    public virtual void Bind(MatchDescription match)
    {
    }

    /// <summary>A frame comes.</summary>
    /// <returns>Why the subscriber is dropped instead of getting it; null where it is not.</returns>
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

    /// <summary>The agent says something, whatever it is.</summary>
    public virtual void MessageReceived()
    {
    }

    /// <summary>The agent has answered a step.</summary>
    /// <returns>What to release once the lock is open.</returns>
    public virtual BarrierHold Acknowledge(ulong step) => default;

    /// <summary>A publication has waited for so long.</summary>
    /// <param name="barrier">Its publisher's.</param>
    /// <param name="passed">How long.</param>
    /// <param name="drop">Why the subscriber is dropped; null where it is not.</param>
    /// <returns>Whether it waited for this subscriber, and does no longer.</returns>
    public virtual bool Expire(PublishBarrier barrier, TimeSpan passed, out RequestRefusedException? drop)
    {
        drop = null;
        return false;
    }

    /// <summary>The agent will answer no more.</summary>
    public virtual void EndAnswers()
    {
    }

    /// <summary>Nothing is queued any more: no publication waits for the subscriber.</summary>
    public virtual void ReleaseHolds()
    {
    }
}
