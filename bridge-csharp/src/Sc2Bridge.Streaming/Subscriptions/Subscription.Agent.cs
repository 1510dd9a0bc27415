using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>The messages of the subscriber's agent: acknowledgements, actions, times.</summary>
public sealed partial class Subscription
{
    private readonly MessageRateLimiter _messages;
    private readonly ActionQuota? _quota;

    // Of its match. Before it has one, it refuses all actions.
    private ActionRelay _acting;
    private TaskCompletionSource? _lastTimes;
    private bool _plays;
    private bool _halfClosed;

    /// <summary>The higher one commands a unit that two agents want.</summary>
    internal uint Priority => _request.Priority;

    /// <summary>Grows from one subscription to the next: among equal priorities the first wins.</summary>
    internal long Order { get; }

    /// <summary>The side that its agent plays, or played; null where it only watches.</summary>
    public uint? Side
    {
        get
        {
            lock (_lock)
            {
                return PlayedSide;
            }
        }
    }

    // The side that its agent plays now; null where it does not, or no longer.
    private uint? Played => _plays ? PlayedSide : null;

    private uint? PlayedSide => _request.CanAct && _match is not null ? _perspective : null;

    // Whether the agent still has to report the times of the last step that it took.
    private bool OwesTimes => !_closed && _request.ReportsTimes && _steps.OwesTimes && !_halfClosed;

    /// <summary>To be called for each message of the agent, before it is handled.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it sends too many; drop it.</exception>
    public void Admit()
    {
        lock (_lock)
        {
            _policy.MessageReceived();
            if (!_messages.Take())
            {
                throw Errors.TooManyMessages();
            }
        }
    }

    /// <summary>
    /// Handles an acknowledgement: actions for the next step, times, and the step that the agent is done with. One that
    /// is late, or ahead of the frames, is answered by a non-fatal error event.
    /// </summary>
    public void Acknowledge(Acknowledgement acknowledgement)
    {
        ArgumentNullException.ThrowIfNull(acknowledgement);
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

    /// <summary>
    /// Handles actions. Their outcomes come with a later frame, also where they are refused; an agent that sends
    /// without reading loses its subscription. After the subscription has ended, actions have no effect. They are refused if
    /// it ended with its match and the last event was not read yet.
    /// </summary>
    /// <param name="actions">Taken over; not changed any more.</param>
    public void Act(Actions actions)
    {
        ArgumentNullException.ThrowIfNull(actions);
        var (requestedNs, bytes) = (MonotonicClock.NowNs, actions.CalculateSize());
        AgentActions taken;
        ActionRelay acting;
        RequestRefusedException? refusal;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            taken = new AgentActions(this, _perspective ?? 0, actions, bytes, requestedNs);
            if (_queue.HasEnded)
            {
                taken.Refuse(StatusCode.FailedPrecondition, Errors.HasEnded(Name), _steps.Offered ?? 0);
                _queue.TryEnqueue(taken.Result);
                return;
            }

            acting = _acting;
            refusal = _quota is null
                ? Errors.WatchesOnly(Name)
                : _quota.Take(taken, _steps, Policy == Policy.Lockstep, _policy.IsLate);
        }

        if (refusal is null)
        {
            acting.Take(taken);
        }
        else
        {
            acting.Refuse(taken, refusal);
        }
    }

    /// <summary>The match that the agent may ask and control. Null if the subscription still waits for one.</summary>
    /// <exception cref="RequestRefusedException">FAILED_PRECONDITION: the subscription has ended.</exception>
    public MatchDescription? RequireRunning()
    {
        lock (_lock)
        {
            return _closed || _queue.HasEnded
                ? throw new RequestRefusedException(StatusCode.FailedPrecondition, Errors.HasEnded(Name))
                : _match;
        }
    }

    /// <summary>
    /// Completes when the agent has reported its times of the last step that it took, or will not: it did not announce
    /// reports, ended its stream, or left. To be called once the last delivery was read.
    /// </summary>
    public Task LastTimesAsync()
    {
        lock (_lock)
        {
            _lastTimes ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            CheckWaits();
            return _lastTimes.Task;
        }
    }

    /// <summary>
    /// The agent has ended its stream: it still gets frames, but no publisher waits for it any longer.
    /// </summary>
    public void EndAnswers()
    {
        uint? played;
        Change change;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            played = Played;
            _halfClosed = true;
            StopPlaying();
            _policy.EndAnswers();
            change = Settle();
        }

        Apply(change);
        if (played is { } side)
        {
            _registry.StoppedPlaying(this, side, "says nothing any more");
        }
    }

    /// <summary>
    /// Ends the subscription because of what its agent did: no publisher waits for it any longer, it gets what is
    /// queued and then the reason, and the hub reports the reason.
    /// </summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="why">One line, which names what to do instead.</param>
    public void Drop(uint code, string why)
    {
        ArgumentNullException.ThrowIfNull(why);
        Change change;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            Drop(new RequestRefusedException(code, why));
            change = Settle();
        }

        Apply(change);
    }

    /// <summary>The outcome of actions of the agent is known; called once for each.</summary>
    internal void Deliver(AgentActions done)
    {
        Change change;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            _quota?.Done(done);
            if (!_queue.TryEnqueue(done.Result))
            {
                Drop(new RequestRefusedException(StatusCode.ResourceExhausted, Errors.UnreadResults()));
            }

            change = Settle();
        }

        Apply(change);
    }

    // Under the lock.
    private void StopPlaying()
    {
        if (Played is { } side)
        {
            _registry.Sides.Remove(side);
        }

        _plays = false;
    }

    private void Report(StepTimes times)
    {
        TimesReport report;
        lock (_lock)
        {
            // Times may come after the end of the match, but not from an agent that was dropped.
            if (_closed || _queue.HasFailed)
            {
                return;
            }

            if (!_steps.Report(times.Step))
            {
                // Nothing may be queued before the last event any more.
                if (!_queue.HasEnded)
                {
                    _queue.Notify(Errors.BadTimes(times.Step, _steps.WasTaken(times.Step)));
                }

                return;
            }

            report = new TimesReport(
                Name, Info.Transport, Policy, _perspective ?? 0, times, _quota?.Of(times.Step), MonotonicClock.NowNs);
            _lastReport = report;
        }

        _registry.Report(report);
    }

    private void Answer(ulong step)
    {
        BarrierHold answered = default;
        Change change;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            if (!_queue.HasEnded)
            {
                answered = _policy.Acknowledge(step);
            }

            change = Settle();
        }

        Apply(change);

        // Last: the publisher continues inside this call, and publishes the next frame.
        answered.Release(inline: true);
    }
}
