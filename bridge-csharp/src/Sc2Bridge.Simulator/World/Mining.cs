using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Workers mine minerals and vespene, and carry them to a town hall.</summary>
/// <remarks>
/// A worker with an order to gather goes to its field and mines. Then it gets an order to return, without a target while it
/// turns and with its town hall afterwards, as in the game. When it has delivered the load, it gets the order to gather again.
/// </remarks>
internal static class Mining
{
    // 2.786 and 1.981 seconds at "normal" speed (16 loops). So two workers use a field fully, and three a geyser, and
    // sixteen workers collect about 950 minerals a minute at "faster" speed. Both are known from the game.
    private const int MineralLoops = 45;
    private const int VespeneLoops = 32;

    // A MULE mines a field twice as long as a worker. In its 64 seconds it brings nine loads of 25.
    private const int MuleLoops = 92;

    // The time to brake and turn. Movement does not model it.
    private const int TurnLoops = 18;

    // A worker mines 1.325 to 1.35 cells from the field's center. Speed-mining bots rely on it (sharpy-sc2 7f40701,
    // sharpy/plans/tactics/speed_mining.py:12; ares-sc2 04a539d, src/ares/managers/resource_manager.py:41).
    private const int FieldReach = (27 * Geometry.Cell / 20) + 1 - Movement.Tolerance;

    internal const int Working = 1;

    // The ability to return has the same link as the ability to gather.
    private static readonly Ability?[] Returns = [.. TechTree.Units.Select(type =>
        AbilityKinds.Find(type, AbilityKind.Gather) is { } gather
            ? Array.Find(TechTree.Abilities, a => a.Link == gather.Link && AbilityKinds.Of(a) == AbilityKind.Return)
            : null)];

    /// <summary>One loop of an order to gather. Returns true when it is done.</summary>
    public static bool Gather(GameWorld world, Unit unit, Order order)
    {
        if (order.Phase == Working)
        {
            return Work(world, unit, order);
        }

        if (order.Target is not { Alive: true } field || !Fields.Mineable(field) || !Fields.MayMine(unit, field))
        {
            return GoElsewhere(world, unit, order);
        }

        if (order.Left > 0)
        {
            order.Left--;
            return false;
        }

        unit.Mines = field;
        var there = field.Type.Is(Kind.Minerals)
            ? Movement.Towards(world, unit, field.X, field.Y, FieldReach)
            : Movement.Towards(world, unit, field, 0);
        if (!there || !field.Finished)
        {
            return false;
        }

        if (unit.Type.Id != UnitId.MULE && field.MinedBy is { } other && !ReferenceEquals(other, unit)
            && Fields.IsAt(other, field))
        {
            if (Fields.FreeNeighbour(world, field) is { } free)
            {
                Replace(unit, new Order(order.Ability) { Target = free });
            }

            return false;
        }

        if (field.Type.Is(Kind.Refinery))
        {
            field.MinedBy = unit;
            field.MiningLeft = VespeneLoops;
            unit.Carrier = field;
            return false;
        }

        field.MinedBy = unit.Type.Id == UnitId.MULE ? field.MinedBy : unit;
        order.Phase = Working;
        order.Left = unit.Type.Id == UnitId.MULE ? MuleLoops : MineralLoops;
        return false;
    }

    /// <summary>One loop of an order to return. Returns true when it is done.</summary>
    public static bool Return(GameWorld world, Unit unit, Order order)
    {
        if (unit.Load == Load.None)
        {
            return true;
        }

        if (order.Left > 0)
        {
            order.Left--;
            return false;
        }

        var given = order.Target is { Alive: true } target && Fields.TakesLoads(target, unit.Owner) ? target : null;
        var hall = given ?? Fields.NearestHall(world, unit);
        if (hall is null)
        {
            return true;
        }

        if (!ReferenceEquals(hall, order.Target))
        {
            Replace(unit, new Order(order.Ability) { Target = hall });
            return false;
        }

        if (!Movement.Towards(world, unit, hall, 0))
        {
            return false;
        }

        Deliver(world, unit);
        if (unit.Orders.Count == 1 && unit.Mines is { } field
            && AbilityKinds.Find(unit.Type, AbilityKind.Gather) is { } gather)
        {
            Replace(unit, new Order(gather) { Target = field, Left = TurnLoops });
        }

        return true;
    }

    /// <summary>Updates the workers in refineries, and regularly counts the workers of each field.</summary>
    public static void Update(GameWorld world)
    {
        if (world.Loop == 1)
        {
            Harvesters.Spread(world);
        }

        foreach (var unit in world.Units)
        {
            if (unit.Alive && unit.Carrier is { } refinery && refinery.Type.Is(Kind.Refinery))
            {
                UpdateInside(world, unit, refinery);
            }
        }

        if (world.Loop % 4 == 0)
        {
            Harvesters.Count(world);
        }
    }

    /// <summary>The return ability of a worker, or null.</summary>
    public static Ability? ReturnOf(UnitType worker) => Returns[worker.Index];

    private static bool Work(GameWorld world, Unit unit, Order order)
    {
        var field = order.Target;
        if (field is not { Alive: true } || field.Contents == 0)
        {
            return GoElsewhere(world, unit, order);
        }

        if (--order.Left > 0)
        {
            return false;
        }

        TakeLoad(world, unit, field);
        return TurnHome(unit);
    }

    // A worker leaves the refinery with a load, or without one if the refinery has been destroyed.
    private static void UpdateInside(GameWorld world, Unit unit, Unit refinery)
    {
        var stands = refinery.Alive && ReferenceEquals(refinery.MinedBy, unit);
        if (stands && --refinery.MiningLeft > 0)
        {
            return;
        }

        unit.Carrier = null;
        var hall = Fields.NearestHall(world, unit) ?? refinery;
        (unit.X, unit.Y) = Spots.Beside(world, refinery, hall.X, hall.Y);
        if (stands)
        {
            refinery.MinedBy = null;
            TakeLoad(world, unit, refinery);
            if (unit.Order is { } order && AbilityKinds.Of(order.Ability) == AbilityKind.Gather
                && ReferenceEquals(order.Target, refinery))
            {
                TurnHome(unit);
            }
        }
    }

    private static void TakeLoad(GameWorld world, Unit unit, Unit field)
    {
        var vespene = field.Type.Is(Kind.Refinery);
        var rich = field.Type.Name.Contains("Rich", StringComparison.Ordinal);
        var most = vespene ? rich ? 8 : 4 : unit.Type.Id == UnitId.MULE ? rich ? 35 : 25 : rich ? 7 : 5;
        var amount = Math.Min(most, field.Contents);
        field.Contents -= amount;
        (unit.Load, unit.LoadAmount) = (vespene ? Load.Vespene : rich ? Load.RichMinerals : Load.Minerals, amount);
        if (ReferenceEquals(field.MinedBy, unit))
        {
            field.MinedBy = null;
        }

        if (vespene && field.Home is { } geyser)
        {
            geyser.Contents = field.Contents;
        }

        if (field.Contents == 0)
        {
            world.EventsOf(unit.Owner).Raise(vespene ? Alert.VespeneExhausted : Alert.MineralsExhausted);
            if (!vespene)
            {
                world.Remove(field, died: true);
            }
        }
    }

    private static void Deliver(GameWorld world, Unit unit)
    {
        var player = world.PlayerOf(unit.Owner);
        if (unit.Load == Load.Vespene)
        {
            player.Vespene += unit.LoadAmount;
            player.Score.CollectedVespene += unit.LoadAmount;
        }
        else
        {
            player.Minerals += unit.LoadAmount;
            player.Score.CollectedMinerals += unit.LoadAmount;
        }

        (unit.Load, unit.LoadAmount) = (Load.None, 0);
    }

    // Carries the load home, unless another order is queued after the order to gather.
    private static bool TurnHome(Unit unit)
    {
        if (unit.Orders.Count > 1 || ReturnOf(unit.Type) is not { } ability)
        {
            return true;
        }

        Replace(unit, new Order(ability) { Left = TurnLoops });
        return false;
    }

    private static void Replace(Unit unit, Order order)
    {
        unit.Orders[0] = order;
        unit.Way = null;
    }

    private static bool GoElsewhere(GameWorld world, Unit unit, Order order)
    {
        var field = order.Target ?? unit.Mines;
        var found = field is null ? null
            : Fields.Nearest(
                world, field.X, field.Y, Fields.Reach, u => u.Type.Is(Kind.Minerals) && Fields.Mineable(u));
        if (found is null || (field is not null && field.Type.Is(Kind.Refinery)))
        {
            return true;
        }

        Replace(unit, new Order(order.Ability) { Target = found });
        return false;
    }
}
