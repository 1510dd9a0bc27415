using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// One action request to a side's game. It contains the actions of the side's agents in order. A unit is left out of an agent's action if an
/// agent with higher precedence commands the same unit. The batch also assigns the game's results to the agents' actions. Not thread-safe.
/// </summary>
/// <remarks>
/// If several agents command a unit in one step, the agent with the highest priority wins. If priorities are equal, the
/// agent that subscribed first wins. Only unit commands with unit tags count. Toggling autocast is not such a command.
/// Actions of the game's other interfaces apply to the selected units and contain no unit tags.
/// </remarks>
internal sealed class ActionBatch
{
    private readonly Dictionary<ulong, Subscription> _unitOwners;
    private readonly List<ActionOutcome> _sentOutcomes = [];

    /// <summary>Builds the request.</summary>
    /// <param name="messages">The agents' messages.</param>
    /// <param name="step">The newest step.</param>
    /// <param name="unitOwners">Who commands which unit in this step. The constructor adds the units in these messages.</param>
    public ActionBatch(IReadOnlyList<AgentActions> messages, ulong step, Dictionary<ulong, Subscription> unitOwners)
    {
        (Messages, _unitOwners) = (messages, unitOwners);
        foreach (var message in messages)
        {
            message.CreateOutcomes(step);
            foreach (var (action, _) in NotRefused(message))
            {
                ClaimUnits(action, message.Sender);
            }
        }

        foreach (var message in messages)
        {
            foreach (var (action, outcome) in NotRefused(message))
            {
                if (OwnedPart(action, message.Sender, outcome) is { } owned)
                {
                    Request.Actions.Add(owned);
                    _sentOutcomes.Add(outcome);
                }
            }
        }
    }

    /// <summary>The agents' messages in this batch.</summary>
    public IReadOnlyList<AgentActions> Messages { get; }

    /// <summary>The request for the game. It may contain no actions.</summary>
    public RequestAction Request { get; } = new();

    /// <summary>Assigns the game's results to the actions.</summary>
    public void SetResults(Response response)
    {
        if (ProxiedActions.AnswerProblem(response, _sentOutcomes.Count) is { } problem)
        {
            SetFailure(problem);
            return;
        }

        foreach (var (outcome, result) in _sentOutcomes.Zip(response.Action.Result))
        {
            outcome.Result = (int)result;
        }
    }

    /// <summary>Sets a failure as the outcome of all actions. Call it if the game did not receive the actions, or will not answer.</summary>
    /// <param name="why">The reason, as one line.</param>
    public void SetFailure(string why) => _sentOutcomes.ForEach(outcome => outcome.Refusal = why);

    private static IEnumerable<(SC2APIProtocol.Action Action, ActionOutcome Outcome)> NotRefused(AgentActions message) =>
        message.Sent.Actions_.Zip(message.Outcome.Outcomes).Where(static pair => pair.Second.Refusal.Length == 0);

    private static bool HasPrecedence(Subscription one, Subscription other) =>
        one.Priority != other.Priority ? one.Priority > other.Priority : one.Order < other.Order;

    // An agent owns a unit that it commands, if no agent with higher precedence commands the same unit.
    private void ClaimUnits(SC2APIProtocol.Action action, Subscription sender)
    {
        foreach (var tag in action.ActionRaw?.UnitCommand?.UnitTags ?? [])
        {
            if (!_unitOwners.TryGetValue(tag, out var owner) || HasPrecedence(sender, owner))
            {
                _unitOwners[tag] = sender;
            }
        }
    }

    // The action with only the units that this agent owns; null if the agent owns none of the action's units.
    private SC2APIProtocol.Action? OwnedPart(SC2APIProtocol.Action action, Subscription sender, ActionOutcome outcome)
    {
        if (action.ActionRaw?.UnitCommand is not { } command)
        {
            return action;
        }

        outcome.OverriddenUnitTags.AddRange(command.UnitTags.Where(tag => _unitOwners[tag] != sender));
        if (outcome.OverriddenUnitTags.Count == 0)
        {
            return action;
        }

        if (outcome.OverriddenUnitTags.Count == command.UnitTags.Count)
        {
            outcome.Refusal =
                $"agent '{_unitOwners[command.UnitTags[0]].Name}' commands {(command.UnitTags.Count == 1 ? "the unit" : "these units")} in this step, "
                + "and has precedence over this agent";
            return null;
        }

        var owned = action.Clone();
        owned.ActionRaw.UnitCommand.UnitTags.Clear();
        owned.ActionRaw.UnitCommand.UnitTags.AddRange(command.UnitTags.Where(tag => _unitOwners[tag] == sender));
        return owned;
    }
}
