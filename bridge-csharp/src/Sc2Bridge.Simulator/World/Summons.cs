using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Attribute = SC2APIProtocol.Attribute;

namespace Sc2Bridge.Simulator.World;

/// <summary>Units that spells summon, and the end of their timed life.</summary>
internal static class Summons
{
    // The duration is that of BroodlingFate in BehaviorData.
    private const int BroodlingLoops = 8 * FactTable.LoopsPerSecond;

    /// <summary>Drops a MULE next to a mineral field, which it mines.</summary>
    public static bool Mule(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var field = order.Target is { } target && target.Type.Is(Kind.Minerals) ? target : null;
        var (x, y) = order.Target is { } at ? (at.X, at.Y) : (order.X, order.Y);
        if (!world.Vision.Sees(unit.Owner, x, y) && field is null)
        {
            return false;
        }

        var mule = Bring(world, unit, spell, x, y);
        if (field is not null)
        {
            mule.Orders.Add(new Order(AbilityKinds.Find(mule.Type, AbilityKind.Gather)!) { Target = field });
        }

        return true;
    }

    /// <summary>Creates a unit at its caster's position.</summary>
    public static bool Summon(GameWorld world, Unit unit, Order order, Spell spell)
    {
        Bring(world, unit, spell, unit.X, unit.Y);
        return true;
    }

    /// <summary>Creates a building at a free position.</summary>
    public static bool Place(GameWorld world, Unit unit, Order order, Spell spell)
    {
        if (!world.Ground.Fits(spell.Brings!.Footprint, order.X, order.Y))
        {
            return false;
        }

        Bring(world, unit, spell, order.X, order.Y);
        return true;
    }

    /// <summary>Creates a unit at the spell's target.</summary>
    public static bool Throw(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var (x, y) = order.Target is { } target ? (target.X, target.Y) : (order.X, order.Y);
        Bring(world, unit, spell, x, y);
        return true;
    }

    /// <summary>Creates a unit at the caster, and sends it to a point.</summary>
    public static bool Send(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var sent = Bring(world, unit, spell, unit.X, unit.Y);
        sent.Home = unit;
        AddOrder(sent, AbilityKind.Move, null, order.X, order.Y);
        return true;
    }

    /// <summary>Creates a swarm host's two locusts, which attack on the way to a point.</summary>
    public static bool Locusts(GameWorld world, Unit unit, Order order, Spell spell)
    {
        for (var i = -1; i <= 1; i += 2)
        {
            var locust = Bring(world, unit, spell, unit.X + (i * Geometry.Cell / 2), unit.Y);
            AddOrder(locust, AbilityKind.Attack, null, order.X, order.Y);
        }

        return true;
    }

    /// <summary>Creates the broodling of a brood lord's shot. It attacks the target.</summary>
    public static void Broodling(GameWorld world, Unit unit, Unit target) => AddOrder(
        Bring(world, unit, TechTree.Unit(UnitId.Broodling), target.X, target.Y, BroodlingLoops),
        AbilityKind.Attack, target, 0, 0);

    /// <summary>Creates a sentry's hallucinations.</summary>
    public static bool Hallucinate(GameWorld world, Unit unit, Order order, Spell spell)
    {
        for (var i = 0; i < spell.Count; i++)
        {
            Bring(world, unit, spell, unit.X, unit.Y).Hallucination = true;
        }

        return true;
    }

    /// <summary>Creates a sentry's force field, a neutral unit. Units that stand there are moved next to it.</summary>
    public static bool ForceField(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var field = world.Add(spell.Brings!, GameWorld.Neutral, order.X, order.Y);
        (field.Expires, field.ExpiresAfter) = (world.Loop + spell.Lasts, spell.Lasts);
        foreach (var other in world.Bins.Near(order.X, order.Y, 2 * Geometry.Cell))
        {
            if (!other.Flying && other.Present && other.Type.Speed > 0)
            {
                Leaps.Put(world, other, other.X, other.Y);
            }
        }

        return true;
    }

    /// <summary>Lays an oracle's stasis trap. Its timed life begins when it is finished.</summary>
    public static bool Trap(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var type = spell.Brings!;
        if (!world.Ground.WalkableAt(order.X, order.Y))
        {
            return false;
        }

        var trap = world.Add(type, unit.Owner, order.X, order.Y, type.BuildLoops);
        (trap.Expires, trap.ExpiresAfter) = (world.Loop + type.BuildLoops + spell.Lasts, spell.Lasts);
        return true;
    }

    /// <summary>Ends a unit's timed life.</summary>
    public static void End(GameWorld world, Unit unit)
    {
        switch (unit.Type.Id)
        {
            case UnitId.MULE:
                world.EventsOf(unit.Owner).Raise(Alert.Muleexpired);
                break;
            case UnitId.AdeptPhaseShift when unit.Home is { Alive: true, Present: true } adept:
                Leaps.Put(world, adept, unit.X, unit.Y);
                break;
        }

        if (unit.Type.Blast is { } blast)
        {
            foreach (var other in world.Bins.Near(unit.X, unit.Y, blast.Radius + Geometry.Cell))
            {
                if (other.Owner != GameWorld.Neutral && other != unit && !other.Flying
                    && Combat.Within(other, unit, blast.Radius))
                {
                    var shield = Math.Min(other.Shield, (blast.Points + blast.Shields) * 256);
                    Casualties.Wound(world, unit.Owner, other, shield, Math.Max(0, (blast.Points * 256) - shield));
                    PushAway(world, unit, other, blast.Throw);
                }
            }
        }

        world.Remove(unit, died: true);
    }

    /// <summary>Lays a creep tumour. A queen can do it again, a tumour only once.</summary>
    public static bool Tumor(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var spreads = spell.Reach > 0;
        if (!world.Creep.At(order.X, order.Y) || !world.Ground.Fits(1, order.X, order.Y)
            || !world.Vision.Sees(unit.Owner, order.X, order.Y)
            || (spreads && Geometry.Length(order.X - unit.X, order.Y - unit.Y) > spell.Reach))
        {
            return false;
        }

        world.Add(spell.Brings!, unit.Owner, order.X, order.Y, spell.Brings!.BuildLoops);
        if (spreads)
        {
            unit.Cooldowns[order.Ability.Id] = int.MaxValue;
        }

        return true;
    }

    /// <summary>Burrows a finished creep tumour.</summary>
    public static void Settle(GameWorld world, Unit unit)
    {
        if (unit.Type.Id is UnitId.CreepTumor or UnitId.CreepTumorQueen)
        {
            world.Morph(unit, TechTree.Unit(UnitId.CreepTumorBurrowed));
        }
    }

    /// <summary>Removes a bunker or a sensor tower and refunds three quarters of its price.</summary>
    public static bool Salvage(GameWorld world, Unit unit, Order order, Spell spell)
    {
        foreach (var man in unit.Passengers.ToArray())
        {
            Transport.LetOut(world, unit, man);
        }

        world.PlayerOf(unit.Owner).Refund(unit.Type.Minerals * 3 / 4, unit.Type.Vespene * 3 / 4);
        world.Remove(unit, died: false);
        return true;
    }

    private static void AddOrder(Unit unit, AbilityKind kind, Unit? target, int x, int y) => unit.Orders.Add(
        new Order(AbilityKinds.Find(unit.Type, kind)!) { Target = target, HasPoint = target is null, X = x, Y = y });

    private static void PushAway(GameWorld world, Unit from, Unit unit, int cells)
    {
        var (dx, dy) = (unit.X - from.X, unit.Y - from.Y);
        var distance = Geometry.Length(dx, dy);
        if (cells > 0 && distance > 0 && unit.Alive && unit.Type.Speed > 0 && !unit.Type.Is(Attribute.Massive)
            && !unit.Type.Is(Kind.Burrowed))
        {
            var (x, y) = ((int)((long)dx * cells / distance), (int)((long)dy * cells / distance));
            Leaps.Put(world, unit, unit.X + x, unit.Y + y);
        }
    }

    private static Unit Bring(GameWorld world, Unit by, Spell spell, int x, int y) =>
        Bring(world, by, spell.Brings!, x, y, spell.Lasts);

    // Summoned units use no supply.
    private static Unit Bring(GameWorld world, Unit by, UnitType type, int x, int y, int loops)
    {
        if (!type.Is(Kind.Flying | Kind.Structure) && !world.Ground.WalkableAt(x, y)
            && world.Ground.NearestWalkable(x, y) is >= 0 and var cell)
        {
            (x, y) = world.Map.Middle(cell);
        }

        var unit = world.Add(type, by.Owner, x, y);
        Supply.Reserve(world, unit, -type.HalfFood);
        (unit.Expires, unit.ExpiresAfter) = (world.Loop + loops, loops);
        return unit;
    }
}
