namespace Sc2Bridge.Streaming;

/// <summary>
/// Queues only the newest frame, and the game waits for this frame's acknowledgement until a deadline. After a late agent has
/// answered, the game waits for the agent again. An agent that is late too often is dropped.
/// </summary>
internal sealed class LockstepPolicy(DeliveryQueue queue, AckTracker steps, HubOptions options) : DeliveryPolicy
{
    private BarrierHold _hold;
    private int _missedDeadlines;
    private long _lastMissTimestamp;
    private bool _isLate;
    private bool _hasStreamEnded;

    public override bool IsLate => _isLate;

    // The match has continued without the agent. So a whole deadline may have passed again since the agent missed the last one.
    public override RequestRefusedException? CheckOverdue() =>
        _isLate && !_hasStreamEnded && IsDeadlinePast(options.TimeProvider.GetElapsedTime(_lastMissTimestamp))
            ? CountMiss()
            : null;

    // An older frame is still in the queue only if the match did not wait for the agent.
    public override int Offer(
        ObservationFrame frame, bool isAwaited, PublishBarrier barrier, out RequestRefusedException? drop)
    {
        drop = null;
        var lost = queue.ReplaceFrames(frame);
        if (!_isLate)
        {
            _hold = barrier.AddHold();
            BeginHold();
        }

        return lost;
    }

    public override BarrierHold Acknowledge(ulong step)
    {
        switch (steps.RecordAcknowledgement(step))
        {
            case AckKind.NeverOffered:
                queue.Notify(Errors.EarlyAcknowledgement(step, steps.NewestOffered));
                return default;
            case AckKind.Repeated:
                return default;
            case AckKind.Newest when !_isLate:
                return ClearHold();
        }

        // The acknowledgement was late. From the next step, the game waits for the agent again, unless the agent has ended its stream.
        _isLate = _hasStreamEnded;
        queue.Notify(Errors.LateAcknowledgement(step));
        return default;
    }

    public override bool ReleaseExpiredHold(PublishBarrier barrier, TimeSpan waited, out RequestRefusedException? drop)
    {
        drop = null;
        if (_hold.Barrier != barrier || !IsDeadlinePast(waited))
        {
            return false;
        }

        ReleaseHolds();
        drop = CountMiss();
        return true;
    }

    public override void OnStreamEnded()
    {
        _isLate = _hasStreamEnded = true;
        ReleaseHolds();
    }

    public override void ReleaseHolds() => ClearHold().Release(inline: false);

    private bool IsDeadlinePast(TimeSpan waited) =>
        options.LockstepDeadline != Timeout.InfiniteTimeSpan && waited >= options.LockstepDeadline;

    private BarrierHold ClearHold()
    {
        var hold = _hold;
        _hold = default;
        EndHold();
        return hold;
    }

    private RequestRefusedException? CountMiss()
    {
        _isLate = true;
        _lastMissTimestamp = options.TimeProvider.GetTimestamp();
        return ++_missedDeadlines >= options.MostMissedDeadlines
            ? new RequestRefusedException(StatusCode.DeadlineExceeded, Errors.TooLate(options)) { Trouble = AgentTroubleKind.TooLate }
            : null;
    }
}
