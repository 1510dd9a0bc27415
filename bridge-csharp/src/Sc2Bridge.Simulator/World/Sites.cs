using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Finds out where buildings can stand.</summary>
internal static class Sites
{
    // No town hall may be this near to resources. The corners of the area are cut off.
    private const int Kept = 3 * Geometry.Cell;
    private const int Corner = 2 * Geometry.Cell;

    // The centers of two overlapping buildings are at most half of each building's size apart. A town hall is the largest.
    private const int Reach = 5 * Geometry.Cell / 2;

    /// <summary>The center of the add-on of a building at a point.</summary>
    public static (int X, int Y) AddOnAt(int x, int y) => (x + Footprint.AddOnX, y + Footprint.AddOnY);

    /// <summary>The nearest point at which a type's footprint covers whole cells. The game moves buildings the same way.</summary>
    public static (int X, int Y) Snap(UnitType type, int x, int y) =>
        (Footprint.OnCells(x, type.Footprint), Footprint.OnCells(y, type.Footprint));

    /// <summary>Whether a building of a type can stand at a point for a player. Creep and power are checked, the price is not.</summary>
    /// <param name="world">The world.</param>
    /// <param name="owner">The player.</param>
    /// <param name="type">The building's type.</param>
    /// <param name="x">The center.</param>
    /// <param name="y">The center.</param>
    /// <param name="asked">Whether this is a query. A query ignores buildings that the player does not know, but visible
    /// enemy units are in the way.</param>
    public static ActionResult Check(GameWorld world, int owner, UnitType type, int x, int y, bool asked = false)
    {
        if (type.Is(Kind.Refinery))
        {
            return FreeGeyser(world, x, y) is null ? ActionResult.CantBuildLocationInvalid : ActionResult.Success;
        }

        var free = asked ? FreeAsKnown(world, owner, type.Footprint, x, y) : world.Ground.Fits(type.Footprint, x, y);
        if (!free || (type.Race != Race.Zerg && Creep(world, type.Footprint, x, y, all: false)))
        {
            return ActionResult.CantBuildLocationInvalid;
        }

        if (type.Is(Kind.TownHall))
        {
            return TooCloseToResources(world, x, y) ? ActionResult.CantBuildTooCloseToResources : ActionResult.Success;
        }

        if (type.Is(Kind.NeedsCreep))
        {
            return Creep(world, type.Footprint, x, y, all: true)
                ? ActionResult.Success
                : ActionResult.CantBuildTooFarFromCreepSource;
        }

        return type.Is(Kind.NeedsPower) && !world.Power.At(owner, x, y)
            ? ActionResult.CantBuildTooFarFromBuildPowerSource
            : ActionResult.Success;
    }

    /// <summary>Whether a flying building can land, or an uprooted one take root. The rules are the same, but the errors differ.</summary>
    public static ActionResult CheckLanding(
        GameWorld world, int owner, UnitType type, int x, int y, bool asked = false) =>
        Check(world, owner, type, x, y, asked) switch
        {
            ActionResult.Success => ActionResult.Success,
            ActionResult.CantBuildTooCloseToResources => ActionResult.CantLandTooCloseToResources,
            ActionResult.CantBuildTooFarFromCreepSource => ActionResult.CantLandTooFarFromCreepSource,
            _ => ActionResult.CantLandLocationInvalid,
        };

    /// <summary>The geyser at a point if no building stands on it, or null.</summary>
    public static Unit? FreeGeyser(GameWorld world, int x, int y)
    {
        foreach (var unit in world.Bins.Near(x, y, Geometry.Cell))
        {
            if (unit.Type.Is(Kind.Geyser) && Math.Abs(unit.X - x) < Geometry.Cell
                && Math.Abs(unit.Y - y) < Geometry.Cell)
            {
                return IsOccupied(world, unit) ? null : unit;
            }
        }

        return null;
    }

    /// <summary>Whether a building stands on a geyser.</summary>
    public static bool IsOccupied(GameWorld world, Unit geyser) => world.Units.Any(unit =>
        ReferenceEquals(unit.Home, geyser) && unit.Alive && unit.Type.Is(Kind.Refinery));

    // The rules follow python-sc2's test of queries, which runs on the game.
    private static bool FreeAsKnown(GameWorld world, int player, int footprint, int x, int y)
    {
        var half = footprint * Geometry.Cell / 2;
        var unknown = new List<Unit>();
        foreach (var unit in world.Bins.Near(x, y, half + Reach))
        {
            if (Ground.ShapeOf(unit.Type) is not null)
            {
                if (unit.Owner != player && unit.Owner != GameWorld.Neutral && !world.Vision.Knows(player, unit))
                {
                    unknown.Add(unit);
                }
            }
            else if (Stays(unit, player) && Math.Abs(unit.X - x) < half + unit.Type.Radius
                && Math.Abs(unit.Y - y) < half + unit.Type.Radius)
            {
                return false;
            }
        }

        return world.Ground.Fits(footprint, x, y) || (unknown.Count > 0 && world.Ground.Fits(footprint, x, y, unknown));
    }

    // The player's own units step aside, except sieged tanks.
    private static bool Stays(Unit unit, int player) => unit is { Present: true, Flying: false }
        && (unit.Owner == player ? unit.Type.Id == UnitId.SiegeTankSieged
            : unit.Owner != GameWorld.Neutral && unit.IsKnownTo(player));

    private static bool Creep(GameWorld world, int footprint, int x, int y, bool all)
    {
        var left = (x - (footprint * Geometry.Cell / 2)) / Geometry.Cell;
        var low = (y - (footprint * Geometry.Cell / 2)) / Geometry.Cell;
        for (var row = low; row < low + footprint; row++)
        {
            for (var column = left; column < left + footprint; column++)
            {
                var here = world.Creep.At((column * Geometry.Cell) + (Geometry.Cell / 2),
                    (row * Geometry.Cell) + (Geometry.Cell / 2));
                if (here != all)
                {
                    return !all;
                }
            }
        }

        return all;
    }

    private static bool TooCloseToResources(GameWorld world, int x, int y)
    {
        foreach (var unit in world.Bins.Near(x, y, 9 * Geometry.Cell))
        {
            var geyser = unit.Type.Is(Kind.Geyser);
            if (!geyser && !unit.Type.Is(Kind.Minerals))
            {
                continue;
            }

            // Half the sides of a town hall (5 by 5), a geyser (3 by 3) and a mineral field (2 by 1), in halves of a cell.
            var besides = Math.Abs(unit.X - x) - ((5 + (geyser ? 3 : 2)) * Geometry.Cell / 2);
            var above = Math.Abs(unit.Y - y) - ((5 + (geyser ? 3 : 1)) * Geometry.Cell / 2);
            if (besides < Kept && above < Kept && (besides < Corner || above < Corner))
            {
                return true;
            }
        }

        return false;
    }
}
