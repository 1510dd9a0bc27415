using SC2APIProtocol;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// Which agent commands which unit in one step: the one of the highest priority, of equals the one that subscribed first.
/// </summary>
/// <remarks>
/// Only commands by tag count: who switches autocast gives no order, and what the other interfaces do to whatever is
/// selected belongs to no unit.
/// </remarks>
internal sealed class UnitOwnership
{
    private readonly Dictionary<ulong, Subscription> _owners = [];

    /// <summary>An agent commands units: they are its own, but for those of an agent that goes before it.</summary>
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

    /// <summary>Another agent that commands a unit; null where it is this one's.</summary>
    public Subscription? OtherOwner(ulong tag, Subscription sender) =>
        _owners.TryGetValue(tag, out var owner) && owner != sender ? owner : null;

    /// <summary>Another step: nobody has commanded anything in it.</summary>
    public void Clear() => _owners.Clear();

    /// <summary>The command by tags in an action; null where it is none.</summary>
    public static ActionRawUnitCommand? CommandOf(SC2APIProtocol.Action action) => action.ActionRaw?.UnitCommand;

    private static bool GoesBefore(Subscription one, Subscription other) =>
        one.Priority != other.Priority ? one.Priority > other.Priority : one.Order < other.Order;
}
