using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// The actions of spells. They run when the caster is in range, has waited, and can pay. The values are in spells.tsv, new units in
/// </summary>
internal static class Spells
{
    private const int Point = 256;

    /// <summary>The actions, by their words in the table.</summary>
    public static IReadOnlyDictionary<string, SpellAction> Actions { get; } = new Dictionary<string, SpellAction>
    {
        ["nothing"] = static (_, _, _, _) => true,
        ["salvage"] = Summons.Salvage,
        ["explode"] = Explode,
        ["stim"] = Stim,
        ["begin"] = static (w, u, _, s) => Give(w, u, s),
        ["end"] = End,
        ["give"] = static (w, _, o, s) => Give(w, o.Target!, s),
        ["mule"] = Summons.Mule,
        ["summon"] = Summons.Summon,
        ["place"] = Summons.Place,
        ["throw"] = Summons.Throw,
        ["send"] = Summons.Send,
        ["locusts"] = Summons.Locusts,
        ["hallucinate"] = Summons.Hallucinate,
        ["field"] = Summons.ForceField,
        ["trap"] = Summons.Trap,
        ["tumor"] = Summons.Tumor,
        ["lay"] = static (w, u, o, s) => EffectsOnGround.Lay(w, u, s, s.Effect, (o.X, o.Y), s.Until(w)),
        ["warp"] = static (w, u, o, s) =>
            EffectsOnGround.Lay(w, u, s, EffectId.TemporalFieldGrowing, (o.X, o.Y), w.Loop + s.Grows),
        ["shield"] = static (w, u, _, s) => EffectsOnGround.Lay(w, u, s, s.Effect, (u.X, u.Y), s.Until(w), u),
        ["lock"] = static (w, u, o, s) => Give(w, o.Target!, s)
            && EffectsOnGround.Lay(w, u, s, EffectsOnGround.Lock, (u.X, u.Y), s.Until(w), u, o.Target),
        ["infect"] = static (w, u, o, s) => Give(w, o.Target!, s) && EffectsOnGround.Lay(
            w, u, s, EffectsOnGround.Bomb, (o.Target!.X, o.Target.Y), s.Until(w), o.Target),
        ["reveal"] = static (w, u, o, s) => s.Around(w, u.Owner, o.X, o.Y, other => _ = Give(w, other, s)
            && EffectsOnGround.Lay(w, u, s, EffectsOnGround.Revealed, (other.X, other.Y), s.Until(w), other)),
        ["blast"] = static (w, u, o, s) => s.Around(w, u.Owner, o.X, o.Y, other =>
        {
            Combat.Hurt(w, u.Owner, other, s.Points);
            Give(w, other, s);
        }),
        ["emp"] = static (w, u, o, s) => s.Around(w, u.Owner, o.X, o.Y, other =>
        {
            other.Energy = Math.Max(0, other.Energy - s.Points);
            Casualties.Wound(w, u.Owner, other, Math.Min(other.Shield, s.Points), 0);
        }),
        ["shred"] = Shred,
        ["inject"] = Inject,
        ["transfuse"] = Transfuse,
        ["feedback"] = Feedback,
        ["strike"] = Strike,
        ["abduct"] = Leaps.Abduct,
        ["blink"] = Leaps.Blink,
        ["jump"] = Leaps.Jump,
        ["recall"] = Leaps.Recall,
        ["lift"] = static (w, _, o, s) => Give(w, o.Target!, s),
        ["spray"] = Spray,
        ["consume"] = Consume,
        ["take"] = Take,
    };

    /// <summary>The spells, by the ability's id.</summary>
    public static IReadOnlyDictionary<int, Spell> All { get; } =
        FactTable.Read("spells").Rows.ToDictionary(row => row.Int("id"), row => new Spell(row));

    private static bool Give(GameWorld world, Unit unit, Spell spell)
    {
        Buffs.Put(unit, spell.Buff, spell.Until(world));
        return true;
    }

    private static bool End(GameWorld world, Unit unit, Order order, Spell spell)
    {
        Buffs.Drop(unit, spell.Buff);
        return true;
    }

    private static bool Stim(GameWorld world, Unit unit, Order order, Spell spell)
    {
        if (unit.Health <= spell.Points)
        {
            return false;
        }

        unit.Health -= spell.Points;
        return Give(world, unit, spell);
    }

    private static bool Take(GameWorld world, Unit unit, Order order, Spell spell)
    {
        if (order.Target!.Owner != unit.Owner)
        {
            world.ChangeOwner(order.Target, unit.Owner);
        }

        return Give(world, order.Target, spell);
    }

    // One point of damage every fifth of a second for six seconds, then five points.
    private static bool Spray(GameWorld world, Unit unit, Order order, Spell spell)
    {
        Combat.Hurt(world, unit.Owner, order.Target!, (spell.Channel - order.Left > 96 ? 25 : 5) * Point / 16);
        return true;
    }

    // Ten points of the building's life give two and a half points of energy.
    private static bool Consume(GameWorld world, Unit unit, Order order, Spell spell)
    {
        if (order.Left % spell.Every == 0)
        {
            Casualties.Wound(world, GameWorld.Neutral, order.Target!, 0, spell.Points);
            unit.Energy = Math.Min(unit.Type.Energy * Point, unit.Energy + (spell.Points / 4));
        }

        return true;
    }

    private static bool Explode(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var player = world.PlayerOf(unit.Owner);
        var weapon = Arms.Against(unit.Type, flying: false)!;
        foreach (var other in world.Bins.Near(unit.X, unit.Y, unit.Type.Splash + Geometry.Cell))
        {
            if (other.Owner != unit.Owner && other.Owner != GameWorld.Neutral && !other.Flying
                && Combat.Within(unit, other, unit.Type.Splash - unit.Type.Radius))
            {
                Combat.Hurt(world, unit.Owner, other, Hits.DamageTo(player, unit.Type, weapon, other.Type) * Point);
            }
        }

        Casualties.Wound(world, unit.Owner, unit, unit.Shield, unit.Health);
        return true;
    }

    // Also hits units around its target, but no buildings. The game has one buff for the color and one for the armour.
    private static bool Shred(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var (x, y) = (order.Target!.X, order.Target.Y);
        foreach (var other in world.Bins.Near(x, y, 5 * Geometry.Cell))
        {
            if (other.Owner != GameWorld.Neutral && !other.Type.Is(Kind.Structure)
                && Geometry.Length(other.X - x, other.Y - y) <= spell.Radius)
            {
                Buffs.Put(other, BuffId.RavenShredderMissileTint, spell.Until(world));
                Buffs.Put(other, BuffId.RavenShredderMissileArmorReduction, spell.Until(world));
            }
        }

        return true;
    }

    private static bool Inject(GameWorld world, Unit unit, Order order, Spell spell)
    {
        Larvae.Inject(world, order.Target!);
        return true;
    }

    private static bool Transfuse(GameWorld world, Unit unit, Order order, Spell spell)
    {
        order.Target!.Health = Math.Min(order.Target.MostHealth, order.Target.Health + spell.Points);
        return Give(world, order.Target, spell);
    }

    private static bool Feedback(GameWorld world, Unit unit, Order order, Spell spell)
    {
        var energy = order.Target!.Energy;
        order.Target.Energy = 0;
        Combat.Hurt(world, unit.Owner, order.Target, energy / 2);
        return true;
    }

    private static bool Strike(GameWorld world, Unit unit, Order order, Spell spell)
    {
        Combat.Hurt(world, unit.Owner, order.Target!, spell.Points);
        return true;
    }
}
