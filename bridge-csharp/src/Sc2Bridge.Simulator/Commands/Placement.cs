using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Whether a building could stand at a point. Clients ask before they send a worker.</summary>
internal static class Placement
{
    /// <summary>The answer. Price and requirements are not checked.</summary>
    /// <param name="world">The world.</param>
    /// <param name="player">The player that asks.</param>
    /// <param name="ability">The ability that builds, lands or warps in.</param>
    /// <param name="x">The point, in 1/4096 of a cell.</param>
    /// <param name="y">The point, in 1/4096 of a cell.</param>
    /// <param name="placing">The unit that would use the ability, or null.</param>
    public static ActionResult Query(GameWorld world, Player player, Ability ability, int x, int y, Unit? placing)
    {
        var type = TechTree.FindUnit(ability.Product);
        if (ability.Id == AbilityId.BuildCreepTumor_3691 || ability.RemapsTo == AbilityId.BuildCreepTumor_3691)
        {
            return Tumor(world, player, x, y);
        }

        if (ability.Id == AbilityId.EffectAutoTurret)
        {
            (x, y) = Sites.Snap(type!, x, y);
            return world.Ground.Fits(type!.Footprint, x, y)
                ? ActionResult.Success
                : ActionResult.CantBuildLocationInvalid;
        }

        var (onX, onY) = type is null ? (x, y) : Sites.Snap(type, x, y);
        return AbilityKinds.Of(ability) switch
        {
            AbilityKind.Build when type is not null => Sites.Check(world, player.Id, type, onX, onY, asked: true),
            AbilityKind.Land when type is { Footprint: 0 } => ActionResult.Success,
            AbilityKind.Land when type is not null => Sites.CheckLanding(world, player.Id, type, onX, onY, asked: true),
            AbilityKind.Warp when type is not null => WarpIns.Check(world, player.Id, type, x, y),
            AbilityKind.AddOn => WithAddOn(world, player, ability, x, y, placing),
            _ => ActionResult.NotSupported,
        };
    }

    // Checks a building and its add-on. The building's current ground counts as free.
    private static ActionResult WithAddOn(GameWorld world, Player player, Ability ability, int x, int y, Unit? placing)
    {
        var building = TechTree.Unit(UnitId.Barracks);
        (x, y) = Sites.Snap(building, x, y);
        var stays = placing is { Flying: false } && placing.X == x && placing.Y == y;
        var may = stays ? ActionResult.Success : Sites.CheckLanding(world, player.Id, building, x, y, asked: true);
        if (may != ActionResult.Success)
        {
            return may;
        }

        var (addOnX, addOnY) = Sites.AddOnAt(x, y);
        var addOn = TechTree.FindUnit(ability.Product) ?? TechTree.Unit(UnitId.TechLab);
        return Sites.Check(world, player.Id, addOn, addOnX, addOnY, asked: true);
    }

    private static ActionResult Tumor(GameWorld world, Player player, int x, int y)
    {
        var tumor = TechTree.Unit(UnitId.CreepTumor);
        return !world.Vision.Sees(player.Id, x, y)
            ? ActionResult.CantSeeBuildLocation
            : Sites.Check(world, player.Id, tumor, Sites.Snap(tumor, x, y).X, Sites.Snap(tumor, x, y).Y);
    }
}
