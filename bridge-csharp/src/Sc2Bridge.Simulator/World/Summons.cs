using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Attribute = SC2APIProtocol.Attribute;

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
    private const int BroodlingType = 289;
    private const int BroodlingLoops = 128;
    private const int MoveAbility = 16;
    private const int AttackAbility = 23;
    private const int ShadeType = 801;
    private const int ShadeLoops = 160;
    private const int ChargeType = 830;
    private const int ChargeLoops = 32;
    private const int NovaType = 733;
    private const int NovaLoops = 48;
    private const int FieldType = 135;
    private const int FieldLoops = 240;
    private const int HallucinationLoops = 960;
    private const int TrapLoops = 3808; // once it is built: StasisWardTimedLife of voidmulti.sc2mod, 238 seconds
    private const int TumorType = 87;
    private const int QueensTumorType = 138;
    private const int BurrowedTumor = 137;
    private const int TumorSpread = 1733;
    private const int TumorRange = 10 * Geometry.Cell;

    // What goes off when it ends: how far, the points, those more against shields, and how far it throws what it hits.
    private static readonly Dictionary<int, (int Radius, int Points, int Shields, int Throw)> Charges = new()
    {
        [ChargeType] = (2 * Geometry.Cell, 5, 0, 3 * Geometry.Cell),
        [NovaType] = (3 * Geometry.Cell / 2, 145, 55, 0),
    };

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

    /// <summary>Each of a brood lord's shots brings a broodling to its target (EffectData's BroodlingEscort).</summary>
    public static void Broodling(GameWorld world, Unit unit, Unit target) =>
        Summon(world, unit, BroodlingType, target.X, target.Y, BroodlingLoops)
            .Orders.Add(new Order(TechTree.Ability(AttackAbility)) { Target = target });

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

    /// <summary>A disruptor sends its nova.</summary>
    public static bool Nova(GameWorld world, Unit unit, Order order)
    {
        var nova = Summon(world, unit, NovaType, unit.X, unit.Y, NovaLoops);
        Supply.Hold(world, nova, -nova.Type.HalfFood);
        nova.Orders.Add(new Order(TechTree.Ability(MoveAbility)) { HasPoint = true, X = order.X, Y = order.Y });
        return true;
    }

    /// <summary>A sentry's illusions, which take no supply.</summary>
    public static bool Hallucinate(GameWorld world, Unit unit, int type, int count)
    {
        for (var i = 0; i < count; i++)
        {
            var illusion = Summon(world, unit, type, unit.X, unit.Y, HallucinationLoops);
            illusion.Hallucination = true;
            Supply.Hold(world, illusion, -illusion.Type.HalfFood);
        }

        return true;
    }

    /// <summary>A sentry's field, which is nobody's: who stands there is put beside it.</summary>
    public static bool ForceField(GameWorld world, Unit unit, Order order)
    {
        var field = world.Add(TechTree.Unit(FieldType), GameWorld.Neutral, order.X, order.Y);
        (field.Expires, field.ExpiresAfter) = (world.Loop + FieldLoops, FieldLoops);
        foreach (var other in world.Bins.Near(order.X, order.Y, 2 * Geometry.Cell))
        {
            if (!other.Flying && other.Present && other.Type.Speed > 0)
            {
                Leaps.Put(world, other, other.X, other.Y);
            }
        }

        return true;
    }

    /// <summary>An oracle lays a stasis trap.</summary>
    public static bool Trap(GameWorld world, Unit unit, Order order)
    {
        var type = TechTree.Unit(UnitId.OracleStasisTrap);
        if (!world.Ground.WalkableAt(order.X, order.Y))
        {
            return false;
        }

        var trap = world.Add(type, unit.Owner, order.X, order.Y, type.BuildLoops);
        (trap.Expires, trap.ExpiresAfter) = (world.Loop + type.BuildLoops + TrapLoops, TrapLoops);
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
        }

        if (Charges.TryGetValue(unit.Type.Id, out var charge))
        {
            foreach (var other in world.Bins.Near(unit.X, unit.Y, charge.Radius + Geometry.Cell))
            {
                if (other.Owner != GameWorld.Neutral && other != unit && !other.Flying
                    && Combat.Within(other, unit, charge.Radius))
                {
                    var shield = Math.Min(other.Shield, (charge.Points + charge.Shields) * 256);
                    Casualties.Wound(world, unit.Owner, other, shield, Math.Max(0, (charge.Points * 256) - shield));
                    Throw(world, unit, other, charge.Throw);
                }
            }
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

    private static void Throw(GameWorld world, Unit from, Unit unit, int cells)
    {
        var (dx, dy) = (unit.X - from.X, unit.Y - from.Y);
        var distance = Geometry.Length(dx, dy);
        if (cells > 0 && distance > 0 && unit.Alive && unit.Type.Speed > 0 && !unit.Type.Is(Attribute.Massive)
            && !Cloaks.Burrowed(unit.Type))
        {
            var (x, y) = ((int)((long)dx * cells / distance), (int)((long)dy * cells / distance));
            Leaps.Put(world, unit, unit.X + x, unit.Y + y);
        }
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
