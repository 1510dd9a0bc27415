using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>The requirements of abilities.</summary>
internal static class Requirements
{
    /// <summary>Whether all requirements of a unit's ability are met.</summary>
    public static bool Met(Player player, Unit unit, UnitAbility ability) =>
        ability.Requirements.All(requirement => Met(player, unit, requirement));

    /// <summary>Whether an ability's upgrade is already researched or in research.</summary>
    public static bool HasUpgrade(Player player, Ability ability) => ability.Makes == Makes.Research
        && (player.Upgrades.Contains(ability.Product) || player.Researching.Contains(ability.Product));

    private static bool Met(Player player, Unit unit, Requirement requirement)
    {
        var all = player.Cheats.Contains(DebugGameState.TechTree);
        return requirement.What switch
        {
            'b' => all || player.Has(requirement.Id),
            'u' => all || player.Upgrades.Contains(requirement.Id),
            'o' => unit.AddOn is { Finished: true } addOn && addOn.Type.CountsAs(requirement.Id),
            't' => unit.AddOn is { } building && building.Type.CountsAs(requirement.Id),
            _ => true,
        };
    }
}
