using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Every frame, in a queue that is bounded in bytes: a full one pauses the game, or ends the subscription. A frame passes
/// an empty queue whatever its size.
/// </summary>
/// <param name="queue">The subscription's.</param>
/// <param name="name">The subscriber's, for messages.</param>
/// <param name="queueBytes">The most bytes that may be queued.</param>
/// <param name="pauseBytes">Past how many the game is paused, where a full queue means that; null: past those.</param>
/// <param name="overflow">What a full queue means; unspecified: the match's default.</param>
/// <param name="deadline">For how long the game may be paused while nothing is taken.</param>
internal sealed class EveryPolicy(
    DeliveryQueue queue, string name, long queueBytes, Func<long>? pauseBytes, Overflow overflow, TimeSpan deadline)
    : DeliveryPolicy
{
    // At most one for each perspective; several only for a subscriber of every perspective.
    private readonly List<BarrierHold> _holds = new(1);
    private Overflow _overflow = overflow;

    private bool IsOverfull =>
        _overflow != Overflow.End && queue.Count > 1 && queue.Bytes > (pauseBytes?.Invoke() ?? queueBytes);

    public override void Bind(MatchDescription match)
    {
        if (_overflow == Overflow.Unspecified)
        {
            _overflow = match.Realtime ? Overflow.End : Overflow.Pause;
        }
    }

    public override int Offer(
        ObservationFrame frame, bool isAwaited, PublishBarrier barrier, out RequestRefusedException? drop)
    {
        drop = null;
        var behind = queue.Bytes + DeliveryQueue.BytesOf(frame);
        if (!isAwaited && _overflow == Overflow.End && queue.Count > 0 && behind > queueBytes)
        {
            var lost = queue.DropFrames(alsoLost: 1);
            drop = new RequestRefusedException(
                StatusCode.ResourceExhausted, Errors.TooFarBehind(name, lost, behind, queueBytes));
            return lost;
        }

        queue.Enqueue(frame);
        if (!isAwaited && IsOverfull)
        {
            HoldBack(barrier);
        }

        return 0;
    }

    public override void Take()
    {
        if (_holds.Count > 0 && !IsOverfull)
        {
            ReleaseHolds();
        }
    }

    public override bool Expire(PublishBarrier barrier, TimeSpan passed, out RequestRefusedException? drop)
    {
        drop = null;
        if (deadline == Timeout.InfiniteTimeSpan || passed < deadline
            || !_holds.Exists(hold => hold.Barrier == barrier))
        {
            return false;
        }

        ReleaseHolds();
        queue.DropFrames();
        drop = new RequestRefusedException(StatusCode.DeadlineExceeded, Errors.HeldTooLong(deadline));
        return true;
    }

    public override void ReleaseHolds()
    {
        _holds.ForEach(static hold => hold.Release(inline: false));
        _holds.Clear();
        EndHold();
    }

    private void HoldBack(PublishBarrier barrier)
    {
        // Replaces the hold of a publication that was cancelled.
        _holds.RemoveAll(hold => hold.Barrier == barrier);
        _holds.Add(barrier.Hold());
        BeginHold();
    }
}
