using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Bunkers, medivacs, prisms, overlords, command centers and nydus networks load and unload units.</summary>
internal static class Transport
{
    private const int BunkerRange = Geometry.Cell; // the additional range of units in a bunker
    private const int LoadRange = Geometry.Cell / 2;
    private const int UnloadEvery = 8;
    private const int CallRange = 8 * Geometry.Cell;

    /// <summary>Lets a transport load a unit, or a unit enter a transport. Returns true when the order is done.</summary>
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

        // A transport that cannot move calls the unit.
        if (carrier == unit && carrier.Type.Speed == 0)
        {
            Summon(passenger, carrier);
            return true;
        }

        if (Movement.Towards(world, unit, other, LoadRange))
        {
            PutIn(HolderOf(world, carrier), passenger);
            return true;
        }

        return Movement.IsStuck(world, unit) && unit.Way is { Arrives: false, Count: 0 };
    }

    /// <summary>Unloads units one after the other, here or at a point. Returns true when the order is done.</summary>
    public static bool Unload(GameWorld world, Unit unit, Order order)
    {
        var passengers = HolderOf(world, unit).Passengers;
        if (passengers.Count == 0)
        {
            return true;
        }

        if (order.HasPoint && unit.Type.Speed > 0 && !Movement.Towards(world, unit, order.X, order.Y, Geometry.Cell))
        {
            return Movement.IsStuck(world, unit) && unit.Way is { Arrives: false, Count: 0 };
        }

        if (order.Left-- > 0)
        {
            return false;
        }

        order.Left = unit.Type.Speed > 0 ? UnloadEvery : 0;
        return !LetOut(world, unit, passengers[0]) || passengers.Count == 0;
    }

    /// <summary>Whether a type is a transport.</summary>
    public static bool Carries(UnitType type) => type.CargoSpace > 0;

    /// <summary>The number of occupied places in a transport.</summary>
    public static int UsedCargo(Unit carrier) => carrier.Passengers.Sum(static passenger => passenger.Type.CargoSize);

    /// <summary>Whether a transport can load a unit now.</summary>
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
            && type.CargoSize > 0 && !passenger.Flying && UsedCargo(carrier) + type.CargoSize <= carrier.CargoSpace;
    }

    /// <summary>Moves a unit from the map into a transport.</summary>
    public static void PutIn(Unit carrier, Unit passenger)
    {
        Orders.Clear(passenger);
        passenger.Carrier = carrier;
        carrier.Passengers.Add(passenger);
    }

    /// <summary>Unloads all units if a transport's new type has no room for them, even if the next free ground is far away.</summary>
    public static void Empty(GameWorld world, Unit carrier, UnitType into)
    {
        if (UsedCargo(carrier) > carrier.SpaceAs(into))
        {
            foreach (var passenger in carrier.Passengers.ToArray())
            {
                LetOut(world, carrier, passenger, howeverFar: true);
            }
        }
    }

    /// <summary>Puts a unit back on the map next to its transport. Returns false if there is no walkable ground near.</summary>
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

    /// <summary>Lets the units in a bunker shoot.</summary>
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

    /// <summary>Unloads the units that survive a destroyed building. Units in a flying transport die with it.</summary>
    public static void UnloadSurvivors(GameWorld world, Unit carrier)
    {
        if (carrier.Type.Is(Kind.Structure) && !carrier.Type.Is(Kind.Refinery) && !carrier.Flying)
        {
            foreach (var passenger in carrier.Passengers.ToArray())
            {
                LetOut(world, carrier, passenger);
            }
        }
    }

    // All ends of a nydus network share their passengers, which the network holds.
    private static Unit HolderOf(GameWorld world, Unit carrier) => carrier.Type.Id != UnitId.NydusCanal ? carrier
        : world.Units.FirstOrDefault(u => u.Alive && u.Owner == carrier.Owner && u.Type.Id == UnitId.NydusNetwork) ?? carrier;

    // A command center calls workers to come in.
    private static void SummonAll(GameWorld world, Unit carrier)
    {
        var places = carrier.CargoSpace - UsedCargo(carrier);
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
