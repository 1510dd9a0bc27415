using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// Workers construct buildings. An SCV stays until the building is finished, a probe leaves at once, and a drone turns into
/// the building. The price is paid when construction begins, not when it is ordered.
/// </summary>
internal static class Construction
{
    /// <summary>One loop of an order to build. Returns true when it is done or has failed.</summary>
    public static bool Build(GameWorld world, Unit unit, Order order)
    {
        if (order.Made is { } made)
        {
            return Continue(world, unit, made);
        }

        // The order resumes a building that another SCV left.
        if (order.Target is { } target && !target.Type.Is(Kind.Geyser))
        {
            order.Made = target;
            return !target.Alive || target.Finished;
        }

        var type = TechTree.Unit(order.Ability.Product);
        if (!IsThere(world, unit, order, type))
        {
            return false;
        }

        var result = Begin(world, unit, order, type);
        if (result != ActionResult.Success)
        {
            Failures.Report(world, unit, order, result);
            world.EventsOf(unit.Owner).Raise(Alert.Error);
        }

        return result != ActionResult.Success || unit.Type.Race != Race.Terran;
    }

    /// <summary>
    /// Cancels an unfinished building. The player gets three quarters of its price back, and for a Zerg building the drone.
    /// </summary>
    public static void Cancel(GameWorld world, Unit building)
    {
        var player = world.PlayerOf(building.Owner);
        var zerg = building.Type.Race == Race.Zerg && building.Type.MadeBy is { Link: "ZergBuild" };
        var drone = zerg ? WorldSetup.WorkerOf(Race.Zerg) : null;
        var minerals = Math.Max(0, building.Type.Minerals - (drone?.Minerals ?? 0));
        player.Refund(minerals * 3 / 4, building.Type.Vespene * 3 / 4);
        world.Remove(building, died: true);
        if (drone is not null && building.Health > 0)
        {
            var (x, y) = building.Type.Is(Kind.Refinery)
                ? Spots.Beside(world, building, building.X, building.Y - (4 * Geometry.Cell))
                : (building.X, building.Y);
            world.Add(drone, building.Owner, x, y);
        }
    }

    /// <summary>The ability with which an SCV resumes an unfinished building, or null.</summary>
    public static Ability? ResumeOf(Unit building) =>
        building is { Finished: false, Type: { Race: Race.Terran, MadeBy: { } made } type }
            && type.Is(Kind.Structure) && AbilityKinds.Of(made) == AbilityKind.Build
            ? made
            : null;

    private static bool IsThere(GameWorld world, Unit unit, Order order, UnitType type)
    {
        if (unit.Type.Is(Kind.Structure))
        {
            return true;
        }

        if (order.Target is { } geyser)
        {
            return Movement.Towards(world, unit, geyser, Geometry.Cell / 4);
        }

        // A drone goes to the center. Other workers stop at the edge of the future building. If no route leads there, perhaps
        // because another building is in the way, the unit has come as near as it can. Begin then reports the reason.
        var edge = (type.Footprint + 2) * Geometry.Cell / 2;
        return Movement.Towards(world, unit, order.X, order.Y, unit.Type.Race == Race.Zerg ? Geometry.Cell : edge)
            || unit.Way is { Arrives: false, Count: 0 };
    }

    private static ActionResult Begin(GameWorld world, Unit unit, Order order, UnitType type)
    {
        var player = world.PlayerOf(unit.Owner);
        var price = Prices.Of(order.Ability, unit.Type);
        var (x, y) = order.Target is { } g ? (g.X, g.Y) : (order.X, order.Y);
        var may = Payment.Check(player, price);
        may = may == ActionResult.Success ? Sites.Check(world, unit.Owner, type, x, y) : may;
        may = may == ActionResult.Success && !Reaches(unit, type, x, y) ? ActionResult.CouldntReachTarget : may;
        if (may != ActionResult.Success)
        {
            return may;
        }

        player.Pay(price.Minerals, price.Vespene);
        if (unit.Type.Race == Race.Zerg && unit.Type.Is(Kind.Worker))
        {
            world.Remove(unit, died: false);
        }

        var building = world.Add(type, unit.Owner, x, y, Prices.LoopsFor(player, price.Loops));
        if (type.Is(Kind.Refinery) && Sites.FreeGeyser(world, x, y) is { } geyser)
        {
            building.Home = geyser;
            building.Contents = geyser.Contents;
        }

        if (unit.Type.Race == Race.Terran)
        {
            order.Made = building;
            building.Builder = unit;
        }

        Spots.Clear(world, building);
        return ActionResult.Success;
    }

    private static bool Reaches(Unit unit, UnitType type, int x, int y) => unit.Type.Is(Kind.Structure)
        || Geometry.Length(unit.X - x, unit.Y - y) <= ((type.Footprint + 4) * Geometry.Cell / 2) + unit.Type.Radius;

    /// <summary>Whether a building is finished, or will be finished without this worker.</summary>
    public static bool IsFinishedWithout(Unit worker, Unit building) =>
        building.Finished || building.Type.Race != Race.Terran || (building.Builder is { Alive: true } other
            && !ReferenceEquals(other, worker) && ReferenceEquals(other.Order?.Made, building));

    private static bool Continue(GameWorld world, Unit unit, Unit building)
    {
        if (!building.Alive || IsFinishedWithout(unit, building))
        {
            return true;
        }

        building.Builder = unit;
        return Movement.Towards(world, unit, building, Geometry.Cell / 2) && Growth.Loop(world, building);
    }
}
