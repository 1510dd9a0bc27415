using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// One request with actions to the game, for one side: the actions of its agents in the order in which they came,
/// without units that another agent commands. It also assigns the game's answers to the agents.
/// </summary>
internal sealed class ActionBatch(uint perspective, ulong step)
{
    private readonly List<ActionOutcome> _asked = [];
    private readonly List<AgentActions> _parts = [];
    private bool _isDone;

    /// <summary>Whose side.</summary>
    public uint Perspective { get; } = perspective;

    /// <summary>For the game; it may hold nothing.</summary>
    public RequestAction Request { get; } = new();

    /// <summary>Adds an agent's actions.</summary>
    /// <param name="part">What it sent.</param>
    /// <param name="claims">Has every command of this step so far, these too.</param>
    public void Add(AgentActions part, UnitOwnership claims)
    {
        _parts.Add(part);
        part.Result.Step = step;
        foreach (var action in part.Sent.Actions_)
        {
            var outcome = new ActionOutcome();
            part.Result.Outcomes.Add(outcome);
            if (ActionRules.Refusal(action) is { } refusal)
            {
                outcome.Refusal = refusal;
            }
            else if (Left(action, part.Sender, claims, outcome) is { } left)
            {
                Request.Actions.Add(left);
                _asked.Add(outcome);
            }
        }
    }

    /// <summary>The game has answered.</summary>
    /// <returns>Those to be told; none where they were told otherwise before.</returns>
    public IReadOnlyList<AgentActions> Answered(Response response)
    {
        if (ProxiedActions.Problem(response, _asked.Count) is { } problem)
        {
            return Failed(problem);
        }

        if (End() is { } ended)
        {
            for (var index = 0; index < _asked.Count; index++)
            {
                _asked[index].Result = (int)response.Action.Result[index];
            }

            return ended;
        }

        return [];
    }

    /// <summary>The game did not get them, or will not answer.</summary>
    /// <param name="why">One line.</param>
    /// <returns>Those to be told; none where they were told otherwise before.</returns>
    public IReadOnlyList<AgentActions> Failed(string why)
    {
        if (End() is { } ended)
        {
            _asked.ForEach(outcome => outcome.Refusal = why);
            return ended;
        }

        return [];
    }

    // The game's answer and the match's end may come from different threads.
    private List<AgentActions>? End() => Interlocked.Exchange(ref _isDone, true) ? null : _parts;

    // The action with only the units that this agent owns; null where it owns none.
    private static SC2APIProtocol.Action? Left(
        SC2APIProtocol.Action action, Subscription sender, UnitOwnership claims, ActionOutcome outcome)
    {
        if (UnitOwnership.CommandOf(action) is not { } command)
        {
            return action;
        }

        Subscription? winner = null;
        foreach (var tag in command.UnitTags)
        {
            if (claims.OtherOwner(tag, sender) is { } other)
            {
                winner ??= other;
                outcome.OverriddenUnitTags.Add(tag);
            }
        }

        if (winner is null)
        {
            return action;
        }

        if (outcome.OverriddenUnitTags.Count == command.UnitTags.Count)
        {
            outcome.Refusal =
                $"agent '{winner.Name}' commands {(command.UnitTags.Count == 1 ? "the unit" : "these units")} in this step, "
                + "and goes before this one by its priority";
            return null;
        }

        var left = action.Clone();
        left.ActionRaw.UnitCommand.UnitTags.Clear();
        left.ActionRaw.UnitCommand.UnitTags.AddRange(
            command.UnitTags.Where(tag => claims.OtherOwner(tag, sender) is null));
        return left;
    }
}
