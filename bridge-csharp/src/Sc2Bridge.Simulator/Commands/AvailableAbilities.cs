using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>The abilities that a unit can use now.</summary>
internal static class AvailableAbilities
{
    /// <summary>Specific abilities, in the order of the unit's facts. requires_point is set if the target must be a point.</summary>
    /// <param name="world">The world.</param>
    /// <param name="unit">The unit.</param>
    /// <param name="ignoreResources">Whether minerals, vespene, supply and energy are ignored.</param>
    public static IReadOnlyList<AvailableAbility> Of(GameWorld world, Unit unit, bool ignoreResources)
    {
        var list = new List<AvailableAbility>();
        if (unit.Owner == GameWorld.Neutral)
        {
            return list;
        }

        var player = world.PlayerOf(unit.Owner);
        if (unit.Finished && (unit.Change is null || unit.Type.Race == Race.Zerg))
        {
            foreach (var own in unit.Type.Abilities)
            {
                if (own.Ability.Id == AbilityId.Smart || Can(player, unit, own, ignoreResources))
                {
                    Add(own.Ability);
                }
            }
        }

        foreach (var ability in UnitAbilities.OfState(unit))
        {
            Add(ability);
        }

        return list;

        void Add(Ability ability) => list.Add(new AvailableAbility
        {
            AbilityId = ability.Id,
            RequiresPoint = ability.Target == AbilityData.Types.Target.Point,
        });
    }

    // The rules of orders, without the rules for targets.
    private static bool Can(Player player, Unit unit, UnitAbility own, bool ignoreResources)
    {
        var ability = own.Ability;
        var kind = AbilityKinds.Of(ability);
        if (unit.Change is not null)
        {
            return kind == AbilityKind.Rally;
        }

        if (!Requirements.Met(player, unit, own) || Requirements.HasUpgrade(player, ability)
            || unit.Cooldowns.GetValueOrDefault(ability.Id) > 0
                || (kind == AbilityKind.Cast && !Casting.Knows(ability)))
        {
            return false;
        }

        if (!ignoreResources && (unit.Energy < ability.Energy * 256
            || Payment.Check(player, Prices.Of(ability, unit.Type)) != ActionResult.Success))
        {
            return false;
        }

        var busy = unit.Queue.Count > 0 || (unit.Type.Is(Kind.Structure) && unit.Order is { Made: not null });
        return kind switch
        {
            AbilityKind.Queue => unit.Queue.Count < Production.Room(unit) && unit.Order is not { Made: not null }
                && (unit.Powered || !unit.Type.Is(Kind.NeedsPower)),
            AbilityKind.Warp => unit.Powered,
            AbilityKind.Morph => !busy,
            AbilityKind.AddOn => !busy && unit.AddOn is null,
            AbilityKind.Cancel => false, // UnitAbilities.OfState has the cancelling ability
            _ => true,
        };
    }
}
