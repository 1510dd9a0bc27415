using SC2APIProtocol;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// Sends the actions of one side's agents to the game of one match, and returns the outcomes to the agents. Actions are
/// sent at once in real time, and otherwise when the next step is due. Thread-safe.
/// </summary>
/// <remarks>A subscription gets this object with its match, so the subscription's actions cannot reach another match.</remarks>
/// <param name="perspective">The player id of the side.</param>
/// <param name="game">Receives the actions. Null if no match runs: all actions are refused.</param>
/// <param name="atOnce">True in real time, where actions do not wait for a step.</param>
/// <param name="onOutcome">Called with the outcome of each message, after the outcome was queued for the agent.</param>
internal sealed class SideActions(uint perspective, IGameRequests? game, bool atOnce, Action<AgentActions> onOutcome)
{
    private readonly Lock _lock = new();
    private readonly List<AgentActions> _waiting = [];
    private readonly HashSet<ActionBatch> _inFlight = [];

    // Who commands which unit in this step.
    private readonly Dictionary<ulong, Subscription> _unitOwners = [];
    private bool _isOver = game is null;

    // Completes when agents have the outcomes of all actions that were sent at once since the last step.
    private Task _sentAtOnce = Task.CompletedTask;
    private ulong _step;

    /// <summary>Called when a step is published.</summary>
    public void OnStep(ulong step)
    {
        lock (_lock)
        {
            _step = step;
            _unitOwners.Clear();
        }
    }

    /// <summary>Sends or queues the actions of an agent, or refuses them.</summary>
    /// <param name="actions">The actions.</param>
    /// <param name="refusal">Why the agent may not send the actions; null if it may send them.</param>
    public void SendOrEnqueue(AgentActions actions, RequestRefusedException? refusal = null)
    {
        Task<Task>? sent = null;
        lock (_lock)
        {
            refusal ??= _isOver ? new RequestRefusedException(StatusCode.FailedPrecondition, "the match has ended") : null;
            if (refusal is not null)
            {
                actions.Refuse(refusal.Code, refusal.Message, _step);
            }
            else if (!atOnce)
            {
                _waiting.Add(actions);
                return;
            }
            else
            {
                // Leaves out units that an agent with higher precedence has commanded since the last step.
                var (batch, answer) = SendUnderLock([actions], CancellationToken.None);
                sent = new(() => AwaitAnswerAsync(batch, answer));
                _sentAtOnce = Task.WhenAll(_sentAtOnce, sent.Unwrap());
            }
        }

        sent?.RunSynchronously(TaskScheduler.Default);
        if (sent is null)
        {
            DeliverOutcomes([actions]);
        }
    }

    /// <summary>
    /// Called when a step is due: sends the queued actions to the game. Actions whose subscription has ended in the
    /// meantime are refused.
    /// </summary>
    /// <param name="ct">Cancels the wait for the game's answer.</param>
    /// <returns>
    /// Completes when the outcomes of all actions, sent at once or not, are queued for the agents. Fails only if
    /// <paramref name="ct"/> is cancelled.
    /// </returns>
    public Task SendAsync(CancellationToken ct)
    {
        List<AgentActions> ended;
        (ActionBatch, Task<Response>)? sent = null;
        lock (_lock)
        {
            if (_waiting.Count == 0)
            {
                return Interlocked.Exchange(ref _sentAtOnce, Task.CompletedTask).WaitAsync(ct);
            }

            ended = _waiting.FindAll(static actions => actions.Sender.HasEnded);
            ended.ForEach(actions => actions.Refuse(StatusCode.FailedPrecondition, Errors.SubscriptionEnded(actions.Sender.Name), _step));
            _waiting.RemoveAll(static actions => actions.Outcome.Error is not null);
            if (_waiting.Count > 0)
            {
                _unitOwners.Clear();
                sent = SendUnderLock([.. _waiting], ct);
                _waiting.Clear();
            }
        }

        DeliverOutcomes(ended);
        return sent is var (batch, answer) ? AwaitAnswerAsync(batch, answer) : Task.CompletedTask;
    }

    /// <summary>Ends the match. Agents whose actions still wait get a refusal as the outcome.</summary>
    public void End()
    {
        AgentActions[] messages;
        lock (_lock)
        {
            _isOver = true;
            foreach (var actions in _waiting)
            {
                actions.Refuse(StatusCode.FailedPrecondition, "the match ended before the game got them", _step);
            }

            foreach (var batch in _inFlight)
            {
                batch.SetFailure("the match ended before the game answered");
            }

            messages = [.. _waiting, .. _inFlight.SelectMany(static batch => batch.Messages)];
            _waiting.Clear();
            _inFlight.Clear();
        }

        DeliverOutcomes(messages);
    }

    // Sends under the lock. Otherwise, if two agents command the same unit, the command with lower precedence could reach
    // the game last, and the game would obey it. The answer is awaited without the lock.
    private (ActionBatch Batch, Task<Response> Answer) SendUnderLock(IReadOnlyList<AgentActions> actions, CancellationToken ct)
    {
        var batch = new ActionBatch(actions, _step, _unitOwners);
        _inFlight.Add(batch);
        return (batch, RequestAsync());

        async Task<Response> RequestAsync() => batch.Request.Actions.Count == 0
            ? new Response { Action = new ResponseAction() }
            : await game!.RequestAsync(perspective, new Request { Action = batch.Request }, ct);
    }

    private async Task AwaitAnswerAsync(ActionBatch batch, Task<Response> answer)
    {
        Response? response = null;
        var problem = "";
        try
        {
            response = await answer.ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            problem = "the match was stopped before the game answered";
        }
#pragma warning disable CA1031 // Whatever failed, the agents must get an outcome. The end of the match reports the cause.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            problem = failure.Message;
        }

        lock (_lock)
        {
            if (!_inFlight.Remove(batch))
            {
                // The match has ended in the meantime, and End has already delivered outcomes to the agents.
                return;
            }
        }

        if (response is null)
        {
            batch.SetFailure(problem);
        }
        else
        {
            batch.SetResults(response);
        }

        DeliverOutcomes(batch.Messages);
    }

    private void DeliverOutcomes(IReadOnlyList<AgentActions> messages)
    {
        foreach (var actions in messages)
        {
            actions.Sender.Core.Inbox.DeliverOutcome(actions);
            onOutcome(actions);
        }
    }
}
