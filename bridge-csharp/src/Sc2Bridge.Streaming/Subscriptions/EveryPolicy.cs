using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Queues every frame, up to a limit in bytes. A full queue pauses the game, or ends the subscription. An empty queue
/// accepts a frame of any size.
/// </summary>
/// <param name="queue">The subscription's queue.</param>
/// <param name="name">The subscriber's name, for messages.</param>
/// <param name="queueBytes">The most bytes that may be queued.</param>
/// <param name="pauseBytes">
/// Returns the number of queued bytes above which the game pauses, if a full queue pauses the game. If this function is null, the
/// number is <paramref name="queueBytes"/>.
/// </param>
/// <param name="overflow">What a full queue does. If unspecified, a full queue ends the subscription in real time, and pauses a stepped match.</param>
/// <param name="deadline">How long a full queue may pause the game.</param>
internal sealed class EveryPolicy(
    DeliveryQueue queue, string name, long queueBytes, Func<long>? pauseBytes, Overflow overflow, TimeSpan deadline)
    : DeliveryPolicy
{
    // Contains at most one hold per perspective. Only a subscriber of every perspective has several holds.
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
        var bytesBehind = queue.Bytes + DeliveryQueue.BytesOf(frame);
        if (!isAwaited && _overflow == Overflow.End && queue.Count > 0 && bytesBehind > queueBytes)
        {
            var lost = queue.DropFrames(alsoLost: 1);
            drop = new RequestRefusedException(
                StatusCode.ResourceExhausted, Errors.TooFarBehind(name, lost, bytesBehind, queueBytes))
            {
                Trouble = AgentTroubleKind.TooFarBehind,
            };
            return lost;
        }

        queue.Enqueue(frame);
        if (!isAwaited && IsOverfull)
        {
            AddHold(barrier);
        }

        return 0;
    }

    public override void OnDequeued()
    {
        if (_holds.Count > 0 && !IsOverfull)
        {
            ReleaseHolds();
        }
    }

    public override bool ReleaseExpiredHold(PublishBarrier barrier, TimeSpan waited, out RequestRefusedException? drop)
    {
        drop = null;
        if (deadline == Timeout.InfiniteTimeSpan || waited < deadline
            || !_holds.Exists(hold => hold.Barrier == barrier))
        {
            return false;
        }

        ReleaseHolds();
        queue.DropFrames();
        drop = new RequestRefusedException(StatusCode.DeadlineExceeded, Errors.PausedTooLong(deadline)) { Trouble = AgentTroubleKind.TooLate };
        return true;
    }

    public override void ReleaseHolds()
    {
        _holds.ForEach(static hold => hold.Release(inline: false));
        _holds.Clear();
        EndHold();
    }

    private void AddHold(PublishBarrier barrier)
    {
        // Replaces the hold of a publication that was cancelled.
        _holds.RemoveAll(hold => hold.Barrier == barrier);
        _holds.Add(barrier.AddHold());
        BeginHold();
    }
}
