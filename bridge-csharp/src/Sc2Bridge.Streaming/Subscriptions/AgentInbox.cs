using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Handles the messages of a subscriber's agent.</summary>
/// <remarks>
/// A message that the subscriber's phase does not allow is refused. Refused actions get an outcome. Refused times, and a refused
/// acknowledgement of a lockstep agent, cause an error event before the next frame. After the subscription has ended, no such event
/// is sent. An acknowledgement then has no effect. If the match ended the subscription, times are still accepted, because the times
/// of the last steps arrive after the end. After the subscription was closed, messages are ignored: no refusal could be delivered.
/// </remarks>
internal sealed class AgentInbox(SubscriberCore core, Subscription subscription, SubscriptionRegistry registry)
{
    private readonly MessageRateLimiter _rate = new();
    private readonly ActionQuota? _quota = core.Request.CanAct ? new() : null;
    private TaskCompletionSource? _lastTimesReported;
    private bool _hasEndedStream;

    /// <summary>The times that the agent reported last; null before the first report.</summary>
    public TimesReport? LastReport { get; private set; }

    /// <summary>
    /// Whether the agent announced that it reports times, and has not yet reported the times of the last step that it read.
    /// </summary>
    public bool OwesTimes => core.Request.ReportsTimes && core.Steps.OwesTimes;

    /// <summary>See <see cref="Subscription.WaitForLastTimesAsync"/>.</summary>
    public Task WaitForLastTimesAsync()
    {
        using var _ = core.Enter();
        return (_lastTimesReported ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    /// <summary>Completes <see cref="WaitForLastTimesAsync"/> if no further times are expected.</summary>
    public void CompleteLastTimes()
    {
        if (_lastTimesReported is not null && (!OwesTimes || _hasEndedStream || core.Phase == SubscriberPhase.Closed))
        {
            _lastTimesReported.TrySetResult();
        }
    }

    public void OnFrameTaken() => _rate.Refill();

    public void AdmitMessage()
    {
        using var _ = core.Enter();
        core.Policy.OnMessage();
        if (!_rate.TryAcquire())
        {
            throw Errors.TooManyMessages();
        }
    }

    public void Acknowledge(Acknowledgement acknowledgement)
    {
        foreach (var actions in acknowledgement.Actions)
        {
            Act(actions);
        }

        // Times are reported after the actions, because the report of a step contains the number of its actions.
        foreach (var times in acknowledgement.Times)
        {
            ReportTimes(times);
        }

        AcknowledgeStep(acknowledgement.Step);
    }

    public void Act(Actions actions)
    {
        var (requestedNs, bytes) = (MonotonicClock.NowNs, actions.CalculateSize());
        AgentActions message;
        SideActions sideActions;
        RequestRefusedException? refusal;
        using (core.Enter())
        {
            sideActions = core.SideActions;
            message = new AgentActions(subscription, core.Perspective ?? 0, actions, bytes, requestedNs);
            if (!core.IsRunning)
            {
                message.Refuse(StatusCode.FailedPrecondition, Errors.SubscriptionEnded(subscription.Name), core.Steps.NewestOffered ?? 0);
                if (core.Phase == SubscriberPhase.Ended)
                {
                    core.Queue.TryEnqueue(message.Outcome);
                }

                return;
            }

            refusal = _quota is null
                ? Errors.WatchesOnly(subscription.Name)
                : _quota.Reserve(message, core.Steps, core.Request.Policy == Policy.Lockstep, core.Policy.IsLate);
        }

        sideActions.SendOrEnqueue(message, refusal);
    }

    /// <summary>Called once for each message of actions, when its outcome is known.</summary>
    public void DeliverOutcome(AgentActions done)
    {
        using var _ = core.Enter();
        if (core.Phase == SubscriberPhase.Closed)
        {
            return;
        }

        _quota?.Release(done);
        if (!core.Queue.TryEnqueue(done.Outcome))
        {
            core.Drop(new RequestRefusedException(StatusCode.ResourceExhausted, Errors.UnreadOutcomes()));
        }
    }

    public MatchDescription? RequireRunning()
    {
        using var _ = core.Enter();
        return core.IsRunning
            ? core.Match
            : throw new RequestRefusedException(StatusCode.FailedPrecondition, Errors.SubscriptionEnded(subscription.Name));
    }

    public void OnStreamEnded()
    {
        uint? played;
        using (core.Enter())
        {
            if (core.Phase == SubscriberPhase.Closed)
            {
                return;
            }

            _hasEndedStream = true;
            played = core.Side.Stop();
            core.Policy.OnStreamEnded();
        }

        registry.OnStoppedPlaying(subscription, played, endedStream: true);
    }

    private void ReportTimes(StepTimes times)
    {
        TimesReport report;
        using (core.Enter())
        {
            if (core.Phase == SubscriberPhase.Closed || core.Queue.HasFailed)
            {
                return;
            }

            if (!core.Steps.TryRecordTimes(times.Step))
            {
                if (core.IsRunning)
                {
                    core.Queue.Notify(Errors.BadTimes(times.Step, core.Steps.WasTaken(times.Step)));
                }

                return;
            }

            LastReport = report = new TimesReport(
                subscription.Name, subscription.Info.Transport, subscription.Policy, core.Perspective ?? 0, times,
                _quota?.CountOf(times.Step), MonotonicClock.NowNs);
        }

        registry.ReportTimes(report);
    }

    private void AcknowledgeStep(ulong step)
    {
        BarrierHold releasedHold;
        using (core.Enter())
        {
            releasedHold = core.IsRunning ? core.Policy.Acknowledge(step) : default;
        }

        // This must be the last call, because the publisher continues inside this call and publishes the next frame.
        releasedHold.Release(inline: true);
    }
}
