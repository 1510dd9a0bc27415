using SC2APIProtocol;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// Passes agents' actions on to the game of one match and its answers back: at once in real time, else when the next step
/// is due. Any thread may call any member.
/// </summary>
/// <remarks>Each match has its own. A subscription gets it with its match, so its actions cannot reach another one.</remarks>
/// <param name="game">Gets the actions. Null if no match runs: all actions are refused.</param>
/// <param name="atOnce">True in real time: there is no step to wait for.</param>
/// <param name="done">Called with the outcome of everything that was taken, after the agent was notified.</param>
internal sealed class ActionRelay(IGameRequests? game, bool atOnce, Action<AgentActions> done)
{
    private readonly Lock _lock = new();
    private readonly SortedDictionary<uint, SideActions> _sides = [];
    private readonly HashSet<ActionBatch> _underWay = [];
    private bool _isOver = game is null;

    /// <summary>A step is published.</summary>
    public void Published(uint perspective, ulong step)
    {
        lock (_lock)
        {
            Side(perspective).Stepped(step);
        }
    }

    /// <summary>Takes actions that an agent may send.</summary>
    public void Take(AgentActions actions)
    {
        SentRound? sent = null;
        lock (_lock)
        {
            var side = Side(actions.Perspective);
            if (_isOver)
            {
                actions.Refuse(StatusCode.FailedPrecondition, "the match has ended", side.Step);
            }
            else if (!atOnce)
            {
                side.Collect(actions);
                return;
            }
            else
            {
                sent = Send(side.Pass(actions), CancellationToken.None);
            }
        }

        if (sent is { } round)
        {
            _ = FinishAsync(round);
        }
        else
        {
            Deliver([actions]);
        }
    }

    /// <summary>Refuses actions that an agent may not send.</summary>
    public void Refuse(AgentActions actions, RequestRefusedException why)
    {
        lock (_lock)
        {
            actions.Refuse(why.Code, why.Message, Side(actions.Perspective).Step);
        }

        Deliver([actions]);
    }

    /// <summary>
    /// A step of one side is due: sends the actions collected for it to the game. Actions of an agent whose subscription has
    /// ended meanwhile are refused.
    /// </summary>
    /// <param name="perspective">Whose side.</param>
    /// <param name="ct">Gives up waiting for its answer.</param>
    /// <returns>Completes when the agents have their outcomes queued; never fails.</returns>
    public Task SendAsync(uint perspective, CancellationToken ct)
    {
        SentRound? sent;
        IReadOnlyList<AgentActions> ended;
        lock (_lock)
        {
            var side = Side(perspective);
            ended = side.Drop(static actions => actions.Sender.HasEnded);
            foreach (var actions in ended)
            {
                actions.Refuse(StatusCode.FailedPrecondition, Errors.HasEnded(actions.Sender.Name), side.Step);
            }

            sent = side.Take() is { } round ? Send(round, ct) : null;
        }

        Deliver(ended);
        return sent is { } under ? FinishAsync(under) : Task.CompletedTask;
    }

    /// <summary>The match is over: agents that still wait get that as the outcome.</summary>
    public void End()
    {
        var told = new List<AgentActions>();
        lock (_lock)
        {
            _isOver = true;
            foreach (var side in _sides.Values)
            {
                foreach (var actions in side.Drop(static _ => true))
                {
                    actions.Refuse(
                        StatusCode.FailedPrecondition, "the match ended before the game got them", side.Step);
                    told.Add(actions);
                }
            }

            told.AddRange(_underWay.SelectMany(round => round.Failed("the match ended before the game answered")));
            _underWay.Clear();
        }

        Deliver(told);
    }

    // Under the lock.
    private SideActions Side(uint perspective)
    {
        if (!_sides.TryGetValue(perspective, out var side))
        {
            _sides[perspective] = side = new SideActions(perspective);
        }

        return side;
    }

    // Sent under the lock, so that of two agents that command a unit, the one of higher precedence does not reach the
    // game last. The answer is awaited without the lock.
    private SentRound Send(ActionBatch round, CancellationToken ct)
    {
        if (round.Request.Actions.Count == 0)
        {
            return new SentRound(round, Task.FromResult(new Response { Action = new ResponseAction() }));
        }

        _underWay.Add(round);
        return new SentRound(round, AskAsync());

        async Task<Response> AskAsync() =>
            await game!.RequestAsync(round.Perspective, new Request { Action = round.Request }, ct);
    }

    private async Task FinishAsync(SentRound sent)
    {
        var (round, answer) = sent;
        IReadOnlyList<AgentActions> told;
        try
        {
            told = round.Answered(await answer.ConfigureAwait(false));
        }
        catch (OperationCanceledException)
        {
            told = round.Failed("the match was stopped before the game answered");
        }
#pragma warning disable CA1031 // Whatever it is, the agents wait for an outcome; the match's end reports the cause.
        catch (Exception problem)
#pragma warning restore CA1031
        {
            told = round.Failed(problem.Message);
        }

        lock (_lock)
        {
            _underWay.Remove(round);
        }

        Deliver(told);
    }

    private void Deliver(IReadOnlyList<AgentActions> told)
    {
        foreach (var actions in told)
        {
            actions.Sender.Core.Inbox.Deliver(actions);
            done(actions);
        }
    }

    private readonly record struct SentRound(ActionBatch Round, Task<Response> Answer);
}
