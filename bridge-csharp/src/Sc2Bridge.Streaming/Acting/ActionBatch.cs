using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// One request with actions to the game, for one side: the actions of its agents, in their order, without units that another agent
/// commands. It also assigns the game's answers to the agents. Not thread-safe.
/// </summary>
/// <remarks>
/// Of agents that command a unit in one step, the agent of the highest priority is obeyed; of equals, the first subscriber.
/// Only commands by tag count: toggling autocast is no order, and actions of the other interfaces on the selection name no unit.
/// </remarks>
internal sealed class ActionBatch
{
    private readonly Dictionary<ulong, Subscription> _owners;
    private readonly List<ActionOutcome> _asked = [];

    /// <summary>A request for the game.</summary>
    /// <param name="parts">What the agents sent.</param>
    /// <param name="step">The newest step.</param>
    /// <param name="owners">Who commands which unit in this step; these actions are added.</param>
    public ActionBatch(IReadOnlyList<AgentActions> parts, ulong step, Dictionary<ulong, Subscription> owners)
    {
        (Parts, _owners) = (parts, owners);
        foreach (var part in parts)
        {
            part.Check(step);
            foreach (var (action, _) in Allowed(part))
            {
                Claim(action, part.Sender);
            }
        }

        foreach (var part in parts)
        {
            foreach (var (action, outcome) in Allowed(part))
            {
                if (Left(action, part.Sender, outcome) is { } left)
                {
                    Request.Actions.Add(left);
                    _asked.Add(outcome);
                }
            }
        }
    }

    /// <summary>What it was made of.</summary>
    public IReadOnlyList<AgentActions> Parts { get; }

    /// <summary>For the game; it may hold nothing.</summary>
    public RequestAction Request { get; } = new();

    /// <summary>The game has answered.</summary>
    public void Answered(Response response)
    {
        if (ProxiedActions.Problem(response, _asked.Count) is { } problem)
        {
            Failed(problem);
            return;
        }

        foreach (var (outcome, result) in _asked.Zip(response.Action.Result))
        {
            outcome.Result = (int)result;
        }
    }

    /// <summary>The game did not get them, or will not answer.</summary>
    /// <param name="why">One line.</param>
    public void Failed(string why) => _asked.ForEach(outcome => outcome.Refusal = why);

    private static IEnumerable<(SC2APIProtocol.Action Action, ActionOutcome Outcome)> Allowed(AgentActions part) =>
        part.Sent.Actions_.Zip(part.Result.Outcomes).Where(static one => one.Second.Refusal.Length == 0);

    private static bool GoesBefore(Subscription one, Subscription other) =>
        one.Priority != other.Priority ? one.Priority > other.Priority : one.Order < other.Order;

    // An agent owns the units that it commands, except units that an agent of higher precedence commands.
    private void Claim(SC2APIProtocol.Action action, Subscription sender)
    {
        foreach (var tag in action.ActionRaw?.UnitCommand?.UnitTags ?? [])
        {
            if (!_owners.TryGetValue(tag, out var owner) || GoesBefore(sender, owner))
            {
                _owners[tag] = sender;
            }
        }
    }

    // The action with only the units that this agent owns; null if it owns none.
    private SC2APIProtocol.Action? Left(SC2APIProtocol.Action action, Subscription sender, ActionOutcome outcome)
    {
        if (action.ActionRaw?.UnitCommand is not { } command)
        {
            return action;
        }

        outcome.OverriddenUnitTags.AddRange(command.UnitTags.Where(tag => _owners[tag] != sender));
        if (outcome.OverriddenUnitTags.Count == 0)
        {
            return action;
        }

        if (outcome.OverriddenUnitTags.Count == command.UnitTags.Count)
        {
            outcome.Refusal =
                $"agent '{_owners[command.UnitTags[0]].Name}' commands {(command.UnitTags.Count == 1 ? "the unit" : "these units")} in this step, "
                + "and goes before this one by its priority";
            return null;
        }

        var left = action.Clone();
        left.ActionRaw.UnitCommand.UnitTags.Clear();
        left.ActionRaw.UnitCommand.UnitTags.AddRange(command.UnitTags.Where(tag => _owners[tag] == sender));
        return left;
    }
}
