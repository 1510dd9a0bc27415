using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Handles the messages of a subscriber's agent.</summary>
/// <remarks>
/// A message is refused if the state does not allow it: actions by their outcome, times and a lockstep agent's acknowledgement
/// by an error event before the next frame. After the end there is no such event: an acknowledgement has nothing to
/// release then, and times are taken if the match ended, as the times of its last steps come late. A closed subscription has
/// no reader for a refusal.
/// </remarks>
internal sealed class AgentInbox(SubscriberCore core, Subscription subscription, SubscriptionRegistry registry)
{
    private readonly MessageRateLimiter _rate = new();
    private readonly ActionQuota? _quota = core.Request.CanAct ? new() : null;
    private TaskCompletionSource? _lastTimes;
    private bool _saysNoMore;

    /// <summary>The last times that were reported; null before.</summary>
    public TimesReport? LastReport { get; private set; }

    /// <summary>Whether the times of the last step that was read were not reported yet, though they were announced.</summary>
    public bool OwesTimes => core.Request.ReportsTimes && core.Steps.OwesTimes;

    /// <summary>See <see cref="Subscription.LastTimesAsync"/>.</summary>
    public Task LastTimesAsync()
    {
        using var _ = core.Enter();
        return (_lastTimes ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    /// <summary>Completes that if no times are owed that can still come.</summary>
    public void CompleteLastTimes()
    {
        if (_lastTimes is not null && (!OwesTimes || _saysNoMore || core.Phase == SubscriberPhase.Closed))
        {
            _lastTimes.TrySetResult();
        }
    }

    public void FrameTaken() => _rate.Refill();

    public void Admit()
    {
        using var _ = core.Enter();
        core.Policy.MessageReceived();
        if (!_rate.Take())
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

        // After the actions, which are counted with the times of their step.
        foreach (var times in acknowledgement.Times)
        {
            Report(times);
        }

        Answer(acknowledgement.Step);
    }

    public void Act(Actions actions)
    {
        var (requestedNs, bytes) = (MonotonicClock.NowNs, actions.CalculateSize());
        AgentActions taken;
        SideActions acting;
        RequestRefusedException? refusal;
        using (core.Enter())
        {
            acting = core.Acting;
            taken = new AgentActions(subscription, core.Perspective ?? 0, actions, bytes, requestedNs);
            if (!core.Runs)
            {
                taken.Refuse(StatusCode.FailedPrecondition, Errors.HasEnded(subscription.Name), core.Steps.Offered ?? 0);
                if (core.Phase == SubscriberPhase.Ended)
                {
                    core.Queue.TryEnqueue(taken.Result);
                }

                return;
            }

            refusal = _quota is null
                ? Errors.WatchesOnly(subscription.Name)
                : _quota.Take(taken, core.Steps, core.Request.Policy == Policy.Lockstep, core.Policy.IsLate);
        }

        acting.Take(taken, refusal);
    }

    /// <summary>The outcome of actions is known; called once for each.</summary>
    public void Deliver(AgentActions done)
    {
        using var _ = core.Enter();
        if (core.Phase == SubscriberPhase.Closed)
        {
            return;
        }

        _quota?.Done(done);
        if (!core.Queue.TryEnqueue(done.Result))
        {
            core.Drop(new RequestRefusedException(StatusCode.ResourceExhausted, Errors.UnreadResults()));
        }
    }

    public MatchDescription? RequireRunning()
    {
        using var _ = core.Enter();
        return core.Runs
            ? core.Match
            : throw new RequestRefusedException(StatusCode.FailedPrecondition, Errors.HasEnded(subscription.Name));
    }

    public void EndAnswers()
    {
        uint? played;
        using (core.Enter())
        {
            if (core.Phase == SubscriberPhase.Closed)
            {
                return;
            }

            _saysNoMore = true;
            played = core.Side.Stop();
            core.Policy.EndAnswers();
        }

        registry.StoppedPlaying(subscription, played, "says nothing any more");
    }

    private void Report(StepTimes times)
    {
        TimesReport report;
        using (core.Enter())
        {
            if (core.Phase == SubscriberPhase.Closed || core.Queue.HasFailed)
            {
                return;
            }

            if (!core.Steps.Report(times.Step))
            {
                if (core.Runs)
                {
                    core.Queue.Notify(Errors.BadTimes(times.Step, core.Steps.WasTaken(times.Step)));
                }

                return;
            }

            LastReport = report = new TimesReport(
                subscription.Name, subscription.Info.Transport, subscription.Policy, core.Perspective ?? 0, times,
                _quota?.Of(times.Step), MonotonicClock.NowNs);
        }

        registry.Report(report);
    }

    private void Answer(ulong step)
    {
        BarrierHold answered;
        using (core.Enter())
        {
            answered = core.Runs ? core.Policy.Acknowledge(step) : default;
        }

        // Last: the publisher continues inside this call, and publishes the next frame.
        answered.Release(inline: true);
    }
}
