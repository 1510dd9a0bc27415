using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>Finds positions for buildings and sends workers to build them.</summary>
internal sealed class Builder(GameWorld world, Player player, UnitInventory inventory, CommandIssuer issuer) : Copyable
{
    private const int Rings = 15;
    private Dictionary<int, int> _tries = [];

    /// <summary>Orders a building at one of the player's bases, if there are enough resources.</summary>
    /// <returns>Whether it was ordered.</returns>
    public bool Build(UnitType type)
    {
        foreach (var hall in inventory.Halls)
        {
            if (FindPlace(type, hall) is { } place && WorkerNear(place.X, place.Y) is { } worker)
            {
                return issuer.Do(worker, type.MadeBy!.Id, place.X, place.Y);
            }
        }

        return false;
    }

    /// <summary>Orders a refinery on a free geyser at one of the player's bases.</summary>
    public bool BuildRefinery(UnitType type)
    {
        foreach (var hall in inventory.Halls)
        {
            foreach (var geyser in world.Units)
            {
                if (geyser.Type.Is(Kind.Geyser) && geyser.Contents > 0 && Near(geyser, hall, 10)
                    && !world.Units.Any(u => u.Type.Is(Kind.Refinery) && u.X == geyser.X && u.Y == geyser.Y)
                    && !inventory.Workers.Exists(w => w.Order?.Target == geyser)
                    && WorkerNear(geyser.X, geyser.Y) is { } worker && issuer.Do(worker, type.MadeBy!.Id, geyser))
                {
                    return true;
                }
            }
        }

        return false;
    }

    /// <summary>The worker that walks ahead to the position of the next town hall, or null.</summary>
    public Unit? Pioneer { get; private set; }

    /// <summary>Sends a worker to the position of the next town hall before there are enough minerals for it.</summary>
    public void SendAhead(UnitType type)
    {
        if (Pioneer is not { Alive: true } && NextBase(type) is { } place)
        {
            Pioneer = WorkerNear(place.X, place.Y);
            if (Pioneer is not null)
            {
                issuer.Do(Pioneer, AbilityId.Move, place.X, place.Y);
            }
        }
    }

    /// <summary>Orders a town hall at the nearest free base, measured along the ground.</summary>
    public bool Expand(UnitType type)
    {
        var worker = Pioneer is { Alive: true } ? Pioneer : null;
        Pioneer = null;
        return NextBase(type) is { } place && (worker ?? WorkerNear(place.X, place.Y)) is { } builder
            && issuer.Do(builder, type.MadeBy!.Id, place.X, place.Y);
    }

    /// <summary>The nearest worker that mines. Workers without a load are preferred.</summary>
    public Unit? WorkerNear(int x, int y) => inventory.Workers.Where(UnitInventory.IsMining).MinBy(worker =>
        Geometry.Length(worker.X - x, worker.Y - y) + (worker.Load == Load.None ? 0 : 8 * Geometry.Cell));

    private MapBase? NextBase(UnitType type)
    {
        var home = world.Map.Bases[player.StartBase];
        return world.Map.Bases.Where(b => Way(b) > 0
            && Placement.Query(world, player, type.MadeBy!, b.X, b.Y, null) == ActionResult.Success
            && !EnemyNear(b.X, b.Y)).MinBy(Way);

        int Way(MapBase from) => world.Map.GroundDistance(from.X, from.Y, home.X, home.Y);
    }

    private static bool Near(Unit a, Unit b, int cells) =>
        Geometry.Length(a.X - b.X, a.Y - b.Y) <= cells * Geometry.Cell;

    private bool EnemyNear(int x, int y)
    {
        foreach (var unit in world.Bins.Near(x, y, 12 * Geometry.Cell))
        {
            if (unit.Owner != player.Id && unit.Owner != GameWorld.Neutral && (unit.SeenBy & (1 << player.Id)) != 0)
            {
                return true;
            }
        }

        return false;
    }

    // Searches rings around the town hall from near to far, on a grid that leaves gaps between the buildings. Each type
    // continues from the ring of the last failure, so that a full base does not cost a whole search each time.
    private (int X, int Y)? FindPlace(UnitType type, Unit hall)
    {
        var key = (int)(hall.Tag >> 18) * 4096 + type.Id;
        for (var ring = _tries.GetValueOrDefault(key, 1); ring <= Rings; ring++)
        {
            var (step, side) = (type.Is(Kind.TakesAddOn) ? 7 : type.Footprint + 1, ring);
            for (var i = -side; i <= side; i++)
            {
                for (var edge = 0; edge < 4; edge++)
                {
                    var (dx, dy) = edge switch { 0 => (i, -side), 1 => (i, side), 2 => (-side, i), _ => (side, i) };
                    var place = Snap(
                        type,
                        hall.X + (dx * step * Geometry.Cell),
                        hall.Y + (dy * (type.Footprint + 1) * Geometry.Cell));
                    if (IsGood(type, hall, place.X, place.Y))
                    {
                        return place;
                    }
                }
            }

            _tries[key] = ring + 1;
        }

        _tries.Remove(key);
        return null;
    }

    private static (int X, int Y) Snap(UnitType type, int x, int y)
    {
        var half = type.Footprint % 2 == 0 ? 0 : Geometry.Cell / 2;
        return ((x / Geometry.Cell * Geometry.Cell) + half, (y / Geometry.Cell * Geometry.Cell) + half);
    }

    private bool IsGood(UnitType type, Unit hall, int x, int y)
    {
        if (!world.Map.Playable.Contains(x / Geometry.Cell, y / Geometry.Cell) || InMineralLine(hall, x, y)
            || Placement.Query(world, player, type.MadeBy!, x, y, null) != ActionResult.Success || IsPlannedSite(type, x, y)
            || world.Map.Bases.Any(b => Math.Abs(b.X - x) < 5 * Geometry.Cell && Math.Abs(b.Y - y) < 5 * Geometry.Cell))
        {
            return false;
        }

        return LeavesWay(type, x, y) && (!type.Is(Kind.TakesAddOn)
            || world.Ground.Fits(2, x + (5 * Geometry.Cell / 2), y - (Geometry.Cell / 2)));
    }

    // Whether units can walk around the building and its add-on. Otherwise, new units could be walled in between
    // buildings, or between a building and a cliff.
    private bool LeavesWay(UnitType type, int x, int y)
    {
        var half = type.Footprint / 2;
        var (left, low) = ((x / Geometry.Cell) - half - 1, (y / Geometry.Cell) - half - 1);
        var (right, high) = (left + type.Footprint + 1 + (type.Is(Kind.TakesAddOn) ? 2 : 0), low + type.Footprint + 1);
        for (var cx = left; cx <= right; cx++)
        {
            for (var cy = low; cy <= high; cy++)
            {
                var around = cx == left || cx == right || cy == low || cy == high;
                if (around && !world.Ground.WalkableAt(cx * Geometry.Cell, cy * Geometry.Cell))
                {
                    return false;
                }
            }
        }

        return true;
    }

    // Whether a worker is on its way to build something else there.
    private bool IsPlannedSite(UnitType type, int x, int y) => inventory.Workers.Exists(w =>
        w.Order is { Made: null, Ability.Makes: Makes.Build } order
        && TechTree.Unit(order.Ability.Product).Footprint + type.Footprint is var sides
        && Math.Abs(order.X - x) * 2 < (sides + 1) * Geometry.Cell
        && Math.Abs(order.Y - y) * 2 < (sides + 1) * Geometry.Cell);

    // The area between the town hall and its resources must stay free.
    private bool InMineralLine(Unit hall, int x, int y)
    {
        foreach (var unit in world.Bins.Near(x, y, 6 * Geometry.Cell))
        {
            if (unit.Type.Is(Kind.Minerals | Kind.Geyser) && Near(unit, hall, 10)
                && Geometry.Length(unit.X - x, unit.Y - y) < 5 * Geometry.Cell
                && Geometry.Length(hall.X - x, hall.Y - y)
                    < Geometry.Length(hall.X - unit.X, hall.Y - unit.Y) + (2 * Geometry.Cell))
            {
                return true;
            }
        }

        return false;
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (world, player, inventory, issuer) =
            (copies.Of(world), copies.Of(player), copies.Of(inventory), copies.Of(issuer));
        (_tries, Pioneer) = (new(_tries), copies.UnitOf(Pioneer));
    }
}
