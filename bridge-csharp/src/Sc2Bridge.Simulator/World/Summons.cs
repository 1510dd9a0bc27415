using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Spells that bring something into the world, or take a building out of it for money.</summary>
internal static class Summons
{
    private const int MuleType = 268;
    private const int MuleLoops = 1440;
    private const int MuleGather = 166;
    private const int ChangelingType = 12;
    private const int ChangelingLoops = 3360;
    private const int TurretType = 31;
    private const int TurretLoops = 246;
    private const int LocustType = 489;
    private const int LocustLoops = 403;
    private const int MoveAbility = 16;
    private const int AttackAbility = 23;
    private const int ShadeType = 801;
    private const int ShadeLoops = 157;
    private const int ChargeType = 830;
    private const int ChargeLoops = 40;
    private const int ChargeRange = 2 * Geometry.Cell;
    private const int ChargeDamage = 5 * 256;
    private const int TumorType = 87;
    private const int QueensTumorType = 138;
    private const int BurrowedTumor = 137;
    private const int TumorSpread = 1733;
    private const int TumorRange = 10 * Geometry.Cell;

    /// <summary>A MULE drops beside a mineral field, and mines it.</summary>
    public static bool Mule(GameWorld world, Unit unit, Order order)
    {
        var field = order.Target is { } target && target.Type.Is(Kind.Minerals) ? target : null;
        var (x, y) = order.Target is { } at ? (at.X, at.Y) : (order.X, order.Y);
        if (!world.Vision.Sees(unit.Owner, x, y) && field is null)
        {
            return false;
        }

        var mule = Summon(world, unit, MuleType, x, y, MuleLoops);
        if (field is not null)
        {
            mule.Orders.Add(new Order(TechTree.Ability(MuleGather)) { Target = field });
        }

        return true;
    }

    /// <summary>An overseer drops a changeling.</summary>
    public static bool Changeling(GameWorld world, Unit unit, Order order)
    {
        Summon(world, unit, ChangelingType, unit.X, unit.Y, ChangelingLoops);
        return true;
    }

    /// <summary>A raven builds a turret.</summary>
    public static bool AutoTurret(GameWorld world, Unit unit, Order order)
    {
        if (!world.Ground.Fits(TechTree.Unit(TurretType).Footprint, order.X, order.Y))
        {
            return false;
        }

        Summon(world, unit, TurretType, order.X, order.Y, TurretLoops);
        return true;
    }

    /// <summary>A swarm host sends two locusts.</summary>
    public static bool Locusts(GameWorld world, Unit unit, Order order)
    {
        for (var i = -1; i <= 1; i += 2)
        {
            var locust = Summon(world, unit, LocustType, unit.X + (i * Geometry.Cell / 2), unit.Y, LocustLoops);
            locust.Orders.Add(new Order(TechTree.Ability(AttackAbility)) { HasPoint = true, X = order.X, Y = order.Y });
        }

        return true;
    }

    /// <summary>An adept sends a shade, which takes no supply, and is where it has gone when it ends.</summary>
    public static bool Shade(GameWorld world, Unit unit, Order order)
    {
        var shade = Summon(world, unit, ShadeType, unit.X, unit.Y, ShadeLoops);
        Supply.Hold(world, shade, -shade.Type.HalfFood);
        shade.Home = unit;
        shade.Orders.Add(new Order(TechTree.Ability(MoveAbility)) { HasPoint = true, X = order.X, Y = order.Y });
        return true;
    }

    /// <summary>A reaper throws a charge, which goes off when it ends.</summary>
    public static bool Charge(GameWorld world, Unit unit, Order order)
    {
        var (x, y) = order.Target is { } target ? (target.X, target.Y) : (order.X, order.Y);
        Summon(world, unit, ChargeType, x, y, ChargeLoops);
        return true;
    }

    /// <summary>A timed life is over.</summary>
    public static void End(GameWorld world, Unit unit)
    {
        switch (unit.Type.Id)
        {
            case MuleType:
                world.EventsOf(unit.Owner).Raise(Alert.Muleexpired);
                break;
            case ShadeType when unit.Home is { Alive: true, Present: true } adept:
                Leaps.Put(world, adept, unit.X, unit.Y);
                break;
            case ChargeType:
                foreach (var other in world.Bins.Near(unit.X, unit.Y, ChargeRange + Geometry.Cell))
                {
                    if (other.Owner != GameWorld.Neutral && other != unit && !other.Flying
                        && Combat.Within(other, unit, ChargeRange))
                    {
                        Combat.Hurt(world, unit.Owner, other, ChargeDamage);
                    }
                }

                break;
        }

        world.Remove(unit, died: true);
    }

    /// <summary>A queen, or a tumour once in its life, lays a tumour on creep.</summary>
    public static bool Tumor(GameWorld world, Unit unit, Order order)
    {
        var spreads = order.Ability.Id == TumorSpread;
        if (!world.Creep.At(order.X, order.Y) || !world.Ground.Fits(1, order.X, order.Y)
            || !world.Vision.Sees(unit.Owner, order.X, order.Y)
            || (spreads && Geometry.Length(order.X - unit.X, order.Y - unit.Y) > TumorRange))
        {
            return false;
        }

        var type = TechTree.Unit(spreads ? TumorType : QueensTumorType);
        world.Add(type, unit.Owner, order.X, order.Y, type.BuildLoops);
        if (spreads)
        {
            unit.Cooldowns[TumorSpread] = int.MaxValue;
        }

        return true;
    }

    /// <summary>A tumour that is grown goes into the ground.</summary>
    public static void Settle(GameWorld world, Unit unit)
    {
        if (unit.Type.Id is TumorType or QueensTumorType)
        {
            world.Morph(unit, TechTree.Unit(BurrowedTumor));
        }
    }

    /// <summary>A bunker is taken down for three quarters of its price.</summary>
    public static bool Salvage(GameWorld world, Unit unit, Order order)
    {
        foreach (var man in unit.Passengers.ToArray())
        {
            Transport.LetOut(world, unit, man);
        }

        world.PlayerOf(unit.Owner).Refund(unit.Type.Minerals * 3 / 4, unit.Type.Vespene * 3 / 4);
        world.Remove(unit, died: false);
        return true;
    }

    private static Unit Summon(GameWorld world, Unit by, int id, int x, int y, int loops)
    {
        var type = TechTree.Unit(id);
        if (!type.Is(Kind.Flying | Kind.Structure) && !world.Ground.WalkableAt(x, y)
            && world.Ground.NearestWalkable(x, y) is >= 0 and var cell)
        {
            (x, y) = world.Map.Middle(cell);
        }

        var unit = world.Add(type, by.Owner, x, y);
        (unit.Expires, unit.ExpiresAfter) = (world.Loop + loops, loops);
        return unit;
    }
}
