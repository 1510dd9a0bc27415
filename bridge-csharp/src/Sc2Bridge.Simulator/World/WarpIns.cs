using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Warp gates warp units in at points in power fields.</summary>
internal static class WarpIns
{
    // A pylon's field is fast if a nexus or gateway is within this distance.
    private const int FastReach = Geometry.Cell * 13 / 2;

    private static readonly Ability[] All = [.. TechTree.Abilities.Where(a => a.Makes == Makes.Warp)];

    /// <summary>Whether a unit can be warped in at a point, without regard to its price.</summary>
    public static ActionResult Check(GameWorld world, int owner, UnitType type, int x, int y)
    {
        if (!world.Power.At(owner, x, y) || !Spots.Walkable(world, x, y))
        {
            return ActionResult.CantWarpInUnitsThere;
        }

        foreach (var unit in world.Bins.Near(x, y, 2 * Geometry.Cell))
        {
            var near = !unit.Flying && unit.Present && !unit.Type.Is(Kind.Structure);
            if (near && Geometry.Length(unit.X - x, unit.Y - y) < unit.Type.Radius + type.Radius)
            {
                return ActionResult.CantWarpInUnitsThere;
            }
        }

        return ActionResult.Success;
    }

    /// <summary>Warps a unit in. The caller has checked that this is possible.</summary>
    public static void Begin(GameWorld world, Unit gate, Ability ability, int x, int y)
    {
        var player = world.PlayerOf(gate.Owner);
        var type = TechTree.Unit(ability.Product);
        player.Pay(type.Minerals, type.Vespene);
        world.Add(type, gate.Owner, x, y, Prices.LoopsFor(player, Prices.WarpIn(IsFast(world, gate.Owner, x, y))));
        if (!player.Cheats.Contains(DebugGameState.Cooldown))
        {
            Array.ForEach(All, a => gate.Cooldowns[a.Id] = type.WarpCooldown);
        }
    }

    private static bool IsFast(GameWorld world, int owner, int x, int y) => world.Power.Sources.Exists(field =>
        field.Source.Owner == owner && Geometry.Length(field.Source.X - x, field.Source.Y - y) <= field.Radius
        && (field.Source.Type.Id == UnitId.WarpPrismPhasing || HasFastNeighbour(world, field.Source)));

    private static bool HasFastNeighbour(GameWorld world, Unit source)
    {
        foreach (var unit in world.Bins.Near(source.X, source.Y, FastReach))
        {
            if (unit.Owner == source.Owner && unit.Finished
                && (unit.Type.Id == UnitId.Nexus || unit.Type.CountsAs(UnitId.Gateway))
                && Geometry.Length(unit.X - source.X, unit.Y - source.Y) <= FastReach)
            {
                return true;
            }
        }

        return false;
    }
}
