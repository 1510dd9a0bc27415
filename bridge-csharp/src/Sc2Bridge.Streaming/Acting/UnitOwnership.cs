using SC2APIProtocol;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// Which agent commands which unit in one step: the one of the highest priority, of equals the one that subscribed first.
/// </summary>
/// <remarks>
/// Only commands by tag count: toggling autocast is no order, and actions of the other interfaces on the selection name
/// no unit.
/// </remarks>
internal sealed class UnitOwnership
{
    private readonly Dictionary<ulong, Subscription> _owners = [];

    /// <summary>
    /// An agent commands units: it owns them, except those that an agent of higher precedence commands.
    /// </summary>
    public void Claim(AgentActions actions)
    {
        foreach (var action in actions.Sent.Actions_.Where(action => ActionRules.Refusal(action) is null))
        {
            foreach (var tag in CommandOf(action)?.UnitTags ?? [])
            {
                if (!_owners.TryGetValue(tag, out var owner) || GoesBefore(actions.Sender, owner))
                {
                    _owners[tag] = actions.Sender;
                }
            }
        }
    }

    /// <summary>The other agent that owns a unit; null where this one does.</summary>
    public Subscription? OtherOwner(ulong tag, Subscription sender) =>
        _owners.TryGetValue(tag, out var owner) && owner != sender ? owner : null;

    /// <summary>Another step begins: no unit is owned.</summary>
    public void Clear() => _owners.Clear();

    /// <summary>An action's command by unit tags; null where it is something else.</summary>
    public static ActionRawUnitCommand? CommandOf(SC2APIProtocol.Action action) => action.ActionRaw?.UnitCommand;

    private static bool GoesBefore(Subscription one, Subscription other) =>
        one.Priority != other.Priority ? one.Priority > other.Priority : one.Order < other.Order;
}
