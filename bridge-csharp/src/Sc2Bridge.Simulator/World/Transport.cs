using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Bunkers, medivacs, prisms, overlords, command centres, the nydus take units in and let them out.</summary>
internal static class Transport
{
    private const int BunkerRange = Geometry.Cell; // what men in a bunker shoot farther
    private const int LoadRange = Geometry.Cell / 2;
    private const int UnloadEvery = 8;
    private const int CallRange = 8 * Geometry.Cell;

    /// <summary>A transport fetches a unit, or a unit goes into a transport.</summary>
    public static bool Load(GameWorld world, Unit unit, Order order)
    {
        if (order.Target is null && Carries(unit.Type))
        {
            SummonAll(world, unit);
            return true;
        }

        if (order.Target is not { } other || !other.Alive || !unit.Present || !other.Present)
        {
            return true;
        }

        var (carrier, passenger) = Carries(unit.Type) && Fits(unit, other) ? (unit, other) : (other, unit);
        if (!Fits(carrier, passenger) || !carrier.Finished)
        {
            return true;
        }

        // What cannot move waits until the other comes.
        if (carrier == unit && carrier.Type.Speed == 0)
        {
            Summon(passenger, carrier);
            return true;
        }

        if (Movement.Towards(world, unit, other, LoadRange))
        {
            PutIn(Hold(world, carrier), passenger);
            return true;
        }

        return Movement.Stuck(world, unit) && unit.Way is { Arrives: false, Count: 0 };
    }

    /// <summary>Lets units out, here or at a place, one after the other.</summary>
    public static bool Unload(GameWorld world, Unit unit, Order order)
    {
        var passengers = Hold(world, unit).Passengers;
        if (passengers.Count == 0)
        {
            return true;
        }

        if (order.HasPoint && unit.Type.Speed > 0 && !Movement.Towards(world, unit, order.X, order.Y, Geometry.Cell))
        {
            return Movement.Stuck(world, unit) && unit.Way is { Arrives: false, Count: 0 };
        }

        if (order.Left-- > 0)
        {
            return false;
        }

        order.Left = unit.Type.Speed > 0 ? UnloadEvery : 0;
        return !LetOut(world, unit, passengers[0]) || passengers.Count == 0;
    }

    /// <summary>Whether a type takes others in.</summary>
    public static bool Carries(UnitType type) => type.CargoSpace > 0;

    /// <summary>How many places are taken in a transport.</summary>
    public static int Taken(Unit carrier) => carrier.Passengers.Sum(static passenger => passenger.Type.CargoSize);

    /// <summary>Whether a transport could take a unit in now.</summary>
    public static bool Fits(Unit carrier, Unit passenger)
    {
        var type = passenger.Type;
        var kind = carrier.Type.Id switch
        {
            UnitId.Bunker => type.Race == SC2APIProtocol.Race.Terran && type.Is(SC2APIProtocol.Attribute.Biological),
            _ when carrier.Type.Is(Kind.TownHall) => type.Id == UnitId.SCV,
            _ => !type.Is(Kind.Structure),
        };
        return kind && carrier != passenger && carrier.Owner == passenger.Owner
            && type.CargoSize > 0 && !passenger.Flying && Taken(carrier) + type.CargoSize <= carrier.CargoSpace;
    }

    /// <summary>Takes a unit off the map, into a transport.</summary>
    public static void PutIn(Unit carrier, Unit passenger)
    {
        Orders.Clear(passenger);
        passenger.Carrier = carrier;
        carrier.Passengers.Add(passenger);
    }

    /// <summary>Puts everybody out of what becomes a type without room for them, however far the next free ground is.</summary>
    public static void Empty(GameWorld world, Unit carrier, UnitType into)
    {
        if (Taken(carrier) > carrier.SpaceAs(into))
        {
            foreach (var passenger in carrier.Passengers.ToArray())
            {
                LetOut(world, carrier, passenger, howeverFar: true);
            }
        }
    }

    /// <summary>Puts a unit back on the map beside its transport; false where there is no ground below.</summary>
    public static bool LetOut(GameWorld world, Unit carrier, Unit passenger, bool howeverFar = false)
    {
        var around = carrier.Type.Is(Kind.Structure) ? carrier.Type.Radius + Geometry.Cell : Geometry.Cell;
        var (x, y) = (carrier.X, carrier.Y);
        if (carrier.Rallies.Count > 0)
        {
            var (dx, dy) = (carrier.Rallies[0].X - x, carrier.Rallies[0].Y - y);
            var far = Math.Max(1, Geometry.Length(dx, dy));
            (x, y) = (x + (int)((long)dx * around / far), y + (int)((long)dy * around / far));
        }

        var cell = world.Ground.NearestWalkable(x, y);
        if (cell < 0)
        {
            return false;
        }

        var (placeX, placeY) = world.Ground.WalkableAt(x, y) ? (x, y) : world.Map.Middle(cell);
        if (!howeverFar && Geometry.Length(placeX - carrier.X, placeY - carrier.Y) > around + (2 * Geometry.Cell))
        {
            return false;
        }

        (passenger.X, passenger.Y) = (placeX, placeY);
        passenger.Carrier?.Passengers.Remove(passenger);
        passenger.Carrier = null;
        (passenger.SeenBy, passenger.DetectedBy) = (carrier.SeenBy, carrier.DetectedBy);
        return true;
    }

    /// <summary>Men in a bunker shoot out of it.</summary>
    public static void FireOut(GameWorld world, Unit carrier)
    {
        if (carrier.Type.Id != UnitId.Bunker)
        {
            return;
        }

        foreach (var man in carrier.Passengers)
        {
            (man.X, man.Y) = (carrier.X, carrier.Y);
            if (!Arms.Armed(man.Type))
            {
                continue;
            }

            var target = man.Engaged;
            var reach = Arms.RangeOf(man.Type) + BunkerRange;
            var lost = target is not null && !(Combat.CanFight(man, target) && Combat.Within(carrier, target, reach));
            target = lost || (target is null && man.IsDue(world.Loop))
                ? Combat.Nearest(world, man, mayChase: false, carrier, BunkerRange) : target;
            man.Engaged = target;
            if (target is not null)
            {
                Combat.Shoot(world, man, carrier, target);
            }
        }
    }

    /// <summary>Lets those out who survive the end of a building; who is in the air dies with its transport.</summary>
    public static void Save(GameWorld world, Unit carrier)
    {
        if (carrier.Type.Is(Kind.Structure) && !carrier.Type.Is(Kind.Refinery) && !carrier.Flying)
        {
            foreach (var passenger in carrier.Passengers.ToArray())
            {
                LetOut(world, carrier, passenger);
            }
        }
    }

    // Who goes into a worm is in the network, and comes out of any of its ends.
    private static Unit Hold(GameWorld world, Unit carrier) => carrier.Type.Id != UnitId.NydusCanal ? carrier
        : world.Units.FirstOrDefault(u => u.Alive && u.Owner == carrier.Owner && u.Type.Id == UnitId.NydusNetwork) ?? carrier;

    // A command centre calls workers in.
    private static void SummonAll(GameWorld world, Unit carrier)
    {
        var places = carrier.CargoSpace - Taken(carrier);
        foreach (var unit in world.Bins.Near(carrier.X, carrier.Y, CallRange))
        {
            if (places > 0 && Fits(carrier, unit) && Combat.Within(unit, carrier, CallRange))
            {
                places -= unit.Type.CargoSize;
                Summon(unit, carrier);
            }
        }
    }

    private static void Summon(Unit passenger, Unit carrier)
    {
        if (AbilityKinds.Find(passenger.Type, AbilityKind.Move) is { } move)
        {
            Orders.Clear(passenger);
            passenger.Orders.Add(new Order(move) { Target = carrier, Boards = true });
        }
    }
}
