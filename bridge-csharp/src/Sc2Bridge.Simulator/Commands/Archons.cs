using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Templars are told to merge, two by two.</summary>
internal static class Archons
{
    /// <summary>Pairs those that are told; the one that is over stays as it is.</summary>
    /// <returns>CantFindEnoughTargets for a single one.</returns>
    public static ActionResult Warp(IReadOnlyList<Unit> templars, bool queued, bool give)
    {
        if (templars.Count < 2)
        {
            return ActionResult.CantFindEnoughTargets;
        }

        for (var i = 1; give && i < templars.Count; i += 2)
        {
            Tell(templars[i - 1], templars[i]);
            Tell(templars[i], templars[i - 1]);
        }

        return ActionResult.Success;

        void Tell(Unit one, Unit other)
        {
            if (!queued)
            {
                World.Orders.Clear(one);
            }

            one.Orders.Add(new Order(TechTree.Ability(AbilityId.ArchonWarpTarget)) { Target = other });
        }
    }
}
