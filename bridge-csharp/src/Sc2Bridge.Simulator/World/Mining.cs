using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Workers mine minerals and vespene, and bring them home.</summary>
/// <remarks>
/// A worker with a gather order goes to its field, mines, and then has a return order, without a target while it turns
/// and with its town hall afterwards, as the game shows it; delivering gives it the gather order back.
/// </remarks>
internal static class Mining
{
    /// <summary>How far from a town hall its fields are at most.</summary>
    public const int Reach = 10 * Geometry.Cell;

    // 2.786 and 1.981 seconds at normal speed (16 loops): with these a field keeps two workers busy and a geyser three,
    // and sixteen workers bring some 950 minerals a minute at faster speed, as is known of the game.
    private const int MineralLoops = 45;
    private const int VespeneLoops = 32;

    // Braking and turning, which movement does not reckon.
    private const int TurnLoops = 18;

    // What is out of the way of a worker that finds its field taken.
    private const int Neighbourhood = 5 * Geometry.Cell;
    private const int Mule = 268;

    private const int Going = 0;
    private const int Working = 1;

    /// <summary>Carries a gather order out; true when it is done.</summary>
    public static bool Gather(GameWorld world, Unit unit, Order order)
    {
        if (order.Phase == Working)
        {
            return Work(world, unit, order);
        }

        if (order.Target is not { Alive: true } field || !Mineable(field) || !MayMine(unit, field))
        {
            return GoElsewhere(world, unit, order);
        }

        if (order.Left > 0)
        {
            order.Left--;
            return false;
        }

        unit.Mines = field;
        if (!Movement.Towards(world, unit, field, 0))
        {
            return false;
        }

        if (unit.Load != Load.None)
        {
            return TurnHome(unit);
        }

        if (unit.Type.Id != Mule && field.MinedBy is { } other && !ReferenceEquals(other, unit) && IsAt(other, field))
        {
            if (FreeNeighbour(world, field) is { } free)
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

        field.MinedBy = unit.Type.Id == Mule ? field.MinedBy : unit;
        order.Phase = Working;
        order.Left = MineralLoops;
        return false;
    }

    /// <summary>Carries a return order out; true when it is done.</summary>
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

        var hall = order.Target is { Alive: true } given && TakesLoads(given, unit.Owner) ? given : NearestHall(world, unit);
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
        if (unit.Orders.Count == 1 && unit.Mines is { } field && AbilityKinds.Find(unit.Type, AbilityKind.Gather) is { } gather)
        {
            Replace(unit, new Order(gather) { Target = field, Left = TurnLoops });
        }

        return true;
    }

    /// <summary>One loop of those in refineries, and now and then the count of who mines where.</summary>
    public static void Update(GameWorld world)
    {
        for (var i = 0; i < world.Units.Count; i++)
        {
            var unit = world.Units[i];
            if (unit.Alive && unit.Carrier is { } refinery && refinery.Type.Is(Kind.Refinery))
            {
                Inside(world, unit, refinery);
            }
        }

        if (world.Loop % 4 == 0)
        {
            Harvesters.Count(world);
        }
    }

    /// <summary>The return ability of a worker, or null.</summary>
    public static Ability? ReturnOf(UnitType worker) => worker.Id switch
    {
        45 => TechTree.Ability(296),
        84 => TechTree.Ability(299),
        104 => TechTree.Ability(1184),
        Mule => TechTree.Ability(167),
        _ => null,
    };

    /// <summary>Whether there is something to mine.</summary>
    public static bool Mineable(Unit field) =>
        (field.Type.Is(Kind.Minerals) && field.Contents > 0) || (field.Type.Is(Kind.Refinery) && field.Finished && field.Contents > 0);

    /// <summary>Whether a unit may mine there: refineries are their owner's, and a MULE mines minerals only.</summary>
    public static bool MayMine(Unit unit, Unit field) =>
        field.Type.Is(Kind.Minerals) || (field.Owner == unit.Owner && unit.Type.Id != Mule);

    /// <summary>Whether a player's workers can bring loads to a building.</summary>
    public static bool TakesLoads(Unit hall, int owner) =>
        hall.Owner == owner && hall.Alive && hall.Finished && hall.Type.Is(Kind.TownHall) && !hall.Flying;

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

        Take(world, unit, field);
        return TurnHome(unit);
    }

    // Out of the refinery with a load; or without one where the refinery is gone.
    private static void Inside(GameWorld world, Unit unit, Unit refinery)
    {
        var stands = refinery.Alive && ReferenceEquals(refinery.MinedBy, unit);
        if (stands && --refinery.MiningLeft > 0)
        {
            return;
        }

        unit.Carrier = null;
        var hall = NearestHall(world, unit) ?? refinery;
        (unit.X, unit.Y) = Spots.Beside(world, refinery, hall.X, hall.Y);
        if (stands)
        {
            refinery.MinedBy = null;
            Take(world, unit, refinery);
            if (unit.Order is { } order && AbilityKinds.Of(order.Ability) == AbilityKind.Gather && ReferenceEquals(order.Target, refinery))
            {
                TurnHome(unit);
            }
        }
    }

    private static void Take(GameWorld world, Unit unit, Unit field)
    {
        var vespene = field.Type.Is(Kind.Refinery);
        var rich = field.Type.Name.Contains("Rich", StringComparison.Ordinal);
        var most = vespene ? rich ? 8 : 4 : unit.Type.Id == Mule ? rich ? 35 : 25 : rich ? 7 : 5;
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

    // With a load: home, unless something else is queued behind the gathering.
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

    private static bool IsAt(Unit worker, Unit field) =>
        worker.Alive && (ReferenceEquals(worker.Carrier, field)
            || (worker.Order is { Phase: Working } order && ReferenceEquals(order.Target, field)));

    private static bool GoElsewhere(GameWorld world, Unit unit, Order order)
    {
        var field = order.Target ?? unit.Mines;
        var found = field is null ? null : Nearest(world, field.X, field.Y, Reach, u => u.Type.Is(Kind.Minerals) && Mineable(u));
        if (found is null || (field is not null && field.Type.Is(Kind.Refinery)))
        {
            return true;
        }

        Replace(unit, new Order(order.Ability) { Target = found });
        return false;
    }

    private static Unit? FreeNeighbour(GameWorld world, Unit field) => field.Type.Is(Kind.Refinery)
        ? null
        : Nearest(world, field.X, field.Y, Neighbourhood, u =>
            u.Type.Is(Kind.Minerals) && Mineable(u) && u.Harvesters < field.Harvesters && u.Harvesters < 2
            && (u.MinedBy is not { } other || !IsAt(other, u)));

    private static Unit? Nearest(GameWorld world, int x, int y, int reach, Predicate<Unit> which)
    {
        Unit? best = null;
        var least = (long)reach * reach;
        foreach (var unit in world.Bins.Near(x, y, reach))
        {
            var distance = Squared(unit.X - x, unit.Y - y);
            if (distance < least && which(unit))
            {
                (best, least) = (unit, distance);
            }
        }

        return best;
    }

    private static Unit? NearestHall(GameWorld world, Unit unit)
    {
        Unit? best = null;
        var least = long.MaxValue;
        for (var i = 0; i < world.Units.Count; i++)
        {
            var hall = world.Units[i];
            if (TakesLoads(hall, unit.Owner) && Squared(hall.X - unit.X, hall.Y - unit.Y) is var distance && distance < least)
            {
                (best, least) = (hall, distance);
            }
        }

        return best;
    }

    private static long Squared(int dx, int dy) => ((long)dx * dx) + ((long)dy * dy);
}
