using SC2APIProtocol;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// The actions of one side's agents in one match, on their way to its game, and the answers: at once in real time, else when the
/// next step is due. Any thread may call any member.
/// </summary>
/// <remarks>A subscription gets it with its match, so its actions cannot reach another one.</remarks>
/// <param name="perspective">Whose side.</param>
/// <param name="game">Gets the actions. Null if no match runs: all actions are refused.</param>
/// <param name="atOnce">True in real time: there is no step to wait for.</param>
/// <param name="done">Called with the outcome of everything that was taken, after the agent was notified.</param>
internal sealed class SideActions(uint perspective, IGameRequests? game, bool atOnce, Action<AgentActions> done)
{
    private readonly Lock _lock = new();
    private readonly List<AgentActions> _waiting = [];
    private readonly HashSet<ActionBatch> _underWay = [];

    // Who commands which unit in this step.
    private readonly Dictionary<ulong, Subscription> _owners = [];
    private bool _isOver = game is null;

    // Done when the agents have the outcomes of what was sent at once since the last step.
    private Task _atOnce = Task.CompletedTask;
    private ulong _step;

    /// <summary>Another step is published.</summary>
    public void Stepped(ulong step)
    {
        lock (_lock)
        {
            _step = step;
            _owners.Clear();
        }
    }

    /// <summary>Takes actions of an agent.</summary>
    /// <param name="actions">The actions.</param>
    /// <param name="refusal">Why the agent may not send them; null if it may.</param>
    public void Take(AgentActions actions, RequestRefusedException? refusal = null)
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
                // Without the units that an agent of higher precedence has commanded since the last step.
                var (batch, answer) = Send([actions], CancellationToken.None);
                sent = new(() => FinishAsync(batch, answer));
                _atOnce = Task.WhenAll(_atOnce, sent.Unwrap());
            }
        }

        sent?.RunSynchronously(TaskScheduler.Default);
        if (sent is null)
        {
            Deliver([actions]);
        }
    }

    /// <summary>
    /// A step is due: sends the actions collected for it to the game. Actions of an agent whose subscription has ended meanwhile are
    /// refused.
    /// </summary>
    /// <param name="ct">Gives up waiting for its answer.</param>
    /// <returns>Completes when the agents have their outcomes queued, also of what was sent at once; fails only by <paramref name="ct"/>.</returns>
    public Task SendAsync(CancellationToken ct)
    {
        List<AgentActions> ended;
        (ActionBatch, Task<Response>)? sent = null;
        lock (_lock)
        {
            if (_waiting.Count == 0)
            {
                return Interlocked.Exchange(ref _atOnce, Task.CompletedTask).WaitAsync(ct);
            }

            ended = _waiting.FindAll(static actions => actions.Sender.HasEnded);
            ended.ForEach(actions => actions.Refuse(StatusCode.FailedPrecondition, Errors.HasEnded(actions.Sender.Name), _step));
            _waiting.RemoveAll(static actions => actions.Result.Error is not null);
            if (_waiting.Count > 0)
            {
                _owners.Clear();
                sent = Send([.. _waiting], ct);
                _waiting.Clear();
            }
        }

        Deliver(ended);
        return sent is var (batch, answer) ? FinishAsync(batch, answer) : Task.CompletedTask;
    }

    /// <summary>The match is over: agents that still wait get that as the outcome.</summary>
    public void End()
    {
        AgentActions[] told;
        lock (_lock)
        {
            _isOver = true;
            foreach (var actions in _waiting)
            {
                actions.Refuse(StatusCode.FailedPrecondition, "the match ended before the game got them", _step);
            }

            foreach (var batch in _underWay)
            {
                batch.Failed("the match ended before the game answered");
            }

            told = [.. _waiting, .. _underWay.SelectMany(static batch => batch.Parts)];
            _waiting.Clear();
            _underWay.Clear();
        }

        Deliver(told);
    }

    // Sent under the lock, so that of two agents that command a unit, the one of higher precedence does not reach the
    // game last. The answer is awaited without the lock.
    private (ActionBatch Batch, Task<Response> Answer) Send(IReadOnlyList<AgentActions> actions, CancellationToken ct)
    {
        var batch = new ActionBatch(actions, _step, _owners);
        _underWay.Add(batch);
        return (batch, AskAsync());

        async Task<Response> AskAsync() => batch.Request.Actions.Count == 0
            ? new Response { Action = new ResponseAction() }
            : await game!.RequestAsync(perspective, new Request { Action = batch.Request }, ct);
    }

    private async Task FinishAsync(ActionBatch batch, Task<Response> answer)
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
#pragma warning disable CA1031 // Whatever it is, the agents wait for an outcome; the match's end reports the cause.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            problem = failure.Message;
        }

        lock (_lock)
        {
            if (!_underWay.Remove(batch))
            {
                // The match has ended meanwhile, and the agents have that as the outcome.
                return;
            }
        }

        if (response is null)
        {
            batch.Failed(problem);
        }
        else
        {
            batch.Answered(response);
        }

        Deliver(batch.Parts);
    }

    private void Deliver(IReadOnlyList<AgentActions> told)
    {
        foreach (var actions in told)
        {
            actions.Sender.Core.Inbox.Deliver(actions);
            done(actions);
        }
    }
}
