using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>Orders that fail after they were accepted.</summary>
internal static class Failures
{
    /// <summary>Reports to the unit's owner that its order failed.</summary>
    public static void Report(GameWorld world, Unit unit, Order order, ActionResult why) =>
        world.EventsOf(unit.Owner).Errors.Add(new ActionError
        {
            UnitTag = unit.Tag,
            AbilityId = (ulong)order.Ability.Id,
            Result = why,
        });
}
