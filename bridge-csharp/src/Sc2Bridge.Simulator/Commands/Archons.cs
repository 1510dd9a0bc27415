using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Orders templars to merge in pairs.</summary>
internal static class Archons
{
    /// <summary>Pairs the selected templars. An odd one is left alone.</summary>
    /// <returns>CantFindEnoughTargets for a single templar.</returns>
    public static ActionResult Warp(IReadOnlyList<Unit> templars, bool queued, bool give)
    {
        if (templars.Count < 2)
        {
            return ActionResult.CantFindEnoughTargets;
        }

        for (var i = 1; give && i < templars.Count; i += 2)
        {
            Merge(templars[i - 1], templars[i]);
            Merge(templars[i], templars[i - 1]);
        }

        return ActionResult.Success;

        void Merge(Unit one, Unit other)
        {
            if (!queued)
            {
                World.Orders.Clear(one);
            }

            one.Orders.Add(new Order(TechTree.Ability(AbilityId.ArchonWarpTarget)) { Target = other });
        }
    }
}
