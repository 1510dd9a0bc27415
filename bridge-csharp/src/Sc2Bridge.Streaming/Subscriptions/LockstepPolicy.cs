namespace Sc2Bridge.Streaming;

/// <summary>
/// The newest frame, and the game waits for its acknowledgement up to a deadline. The game waits for a late agent again
/// once it answers; an agent that is late too often is dropped.
/// </summary>
internal sealed class LockstepPolicy(DeliveryQueue queue, AckTracker steps, HubOptions options) : DeliveryPolicy
{
    private BarrierHold _hold;
    private int _missed;
    private long _missedAt;
    private bool _late;
    private bool _endedAnswers;

    public override bool IsLate => _late;

    // The match goes on meanwhile: another deadline may have passed since the agent's last message.
    public override RequestRefusedException? Overdue() =>
        _late && !_endedAnswers && IsPast(options.TimeProvider.GetElapsedTime(_missedAt))
            ? Miss()
            : null;

    // An older frame is queued only where the agent missed a deadline and has not read since.
    public override int Offer(
        ObservationFrame frame, bool isAwaited, PublishBarrier barrier, out RequestRefusedException? drop)
    {
        drop = null;
        var lost = queue.Replace(frame);
        if (!_late)
        {
            _hold = barrier.Hold();
            BeginHold();
        }

        return lost;
    }

    public override BarrierHold Acknowledge(ulong step)
    {
        switch (steps.Answer(step))
        {
            case AckKind.Unknown:
                queue.Notify(Errors.EarlyAnswer(step, steps.Offered));
                return default;
            case AckKind.Again:
                return default;
            case AckKind.Newest when !_late:
                return TakeHold();
        }

        // The game waits again from the next step on.
        _late = _endedAnswers;
        queue.Notify(Errors.LateAnswer(step));
        return default;
    }

    public override bool Expire(PublishBarrier barrier, TimeSpan passed, out RequestRefusedException? drop)
    {
        drop = null;
        if (_hold.Barrier != barrier || !IsPast(passed))
        {
            return false;
        }

        ReleaseHolds();
        drop = Miss();
        return true;
    }

    public override void EndAnswers()
    {
        _late = _endedAnswers = true;
        ReleaseHolds();
    }

    public override void ReleaseHolds() => TakeHold().Release(inline: false);

    private bool IsPast(TimeSpan passed) =>
        options.LockstepDeadline != Timeout.InfiniteTimeSpan && passed >= options.LockstepDeadline;

    private BarrierHold TakeHold()
    {
        var hold = _hold;
        _hold = default;
        EndHold();
        return hold;
    }

    private RequestRefusedException? Miss()
    {
        _late = true;
        _missedAt = options.TimeProvider.GetTimestamp();
        return ++_missed >= options.MostMissedDeadlines
            ? new RequestRefusedException(StatusCode.DeadlineExceeded, Errors.TooLate(options))
            : null;
    }
}
