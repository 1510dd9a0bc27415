using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Attribute = SC2APIProtocol.Attribute;

namespace Sc2Bridge.Simulator.World;

/// <summary>A spell.</summary>
/// <param name="Do">Its effect; false where it had none, and costs nothing.</param>
/// <param name="On">Whom it can be aimed at; null: anybody, or nobody.</param>
/// <param name="Loops">How long the caster stands before.</param>
/// <param name="Failure">What its owner is told where it has no effect.</param>
/// <param name="Channel">How many loops it goes on after it began, while the caster does nothing else.</param>
/// <param name="During">What each of these does; false ends it.</param>
internal sealed record Spell(
    Func<GameWorld, Unit, Order, bool> Do,
    Func<Unit, Unit, bool>? On = null,
    int Loops = 0,
    ActionResult Failure = ActionResult.MustTargetVisibleLocation,
    int Channel = 0,
    Func<GameWorld, Unit, Order, bool>? During = null);

/// <summary>
/// What each spell does that the simulated game has. Loops are 22.4 to a second of the game's texts, 16 to one of its data;
/// those from the adept's on are of its AbilData, EffectData and BehaviorData (SC2Mapster's SC2GameData, build 5.0.9).
/// </summary>
internal static class Spells
{
    private const int Point = 256;
    private const int Forever = int.MaxValue;

    // A sentry's: the ability, of what it makes illusions, and how many.
    private static readonly (int Ability, int Type, int Count)[] Illusions =
    [
        (146, 141, 1), (148, 4, 1), (150, 75, 2), (152, 83, 1), (154, 78, 1), (156, 84, 4), (158, 74, 2), (160, 80, 1),
        (162, 81, 1), (164, 73, 2), (2114, 495, 1), (2389, 694, 1), (2391, 311, 2),
    ];

    /// <summary>By ability id.</summary>
    public static IReadOnlyDictionary<int, Spell> All { get; } = new Dictionary<int, Spell>(
        Illusions.Select(i => KeyValuePair.Create(
            i.Ability, new Spell((w, u, _) => Summons.Hallucinate(w, u, i.Type, i.Count)))))
    {
        [26] = new((_, _, _) => true), // sprays leave nothing behind here
        [28] = new((_, _, _) => true),
        [30] = new((_, _, _) => true),
        [32] = new(Summons.Salvage, Loops: 112),
        [42] = new(Explode),
        [380] = new((w, u, _) => Stim(w, u, BuffId.Stimpack, 10), Failure: ActionResult.NotEnoughLife),
        [253] = new((w, u, _) => Stim(w, u, BuffId.StimpackMarauder, 20), Failure: ActionResult.NotEnoughLife),
        [2116] = new((w, u, _) => Give(u, BuffId.MedivacSpeedBoost, w.Loop + 95)),
        [2393] = new((w, u, _) => Give(u, BuffId.VoidRaySwarmDamageBoost, w.Loop + 320)),
        [382] = new((_, u, _) => Give(u, BuffId.GhostCloak, Forever)),
        [392] = new((_, u, _) => Give(u, BuffId.BansheeCloak, Forever)),
        [383] = new((_, u, _) => Lose(u, BuffId.GhostCloak)),
        [393] = new((_, u, _) => Lose(u, BuffId.BansheeCloak)),
        [171] = new(Summons.Mule),
        [181] = new(Summons.Changeling),
        [1764] = new(Summons.AutoTurret),
        [2704] = new(Summons.Locusts),
        [1694] = new(Summons.Tumor),
        [1733] = new(Summons.Tumor),
        [399] = new((w, u, o) => Lay(w, u, o, EffectId.ScannerSweep, 220)),
        [1036] = new((w, u, o) => Lay(w, u, o, EffectId.PsiStorm, 64)),
        [2338] = new((w, u, o) => Lay(w, u, o, EffectId.CorrosiveBile, 56)),
        [76] = new((w, u, _) => Shield(w, u)),
        [74] = new(Fungal),
        [1628] = new(Pulse),
        [3755] = new((w, _, o) => Give(o.Target!, BuffId.ChronoBoostEnergyCost, w.Loop + 448), Own(Kind.Structure)),
        [251] = new(Inject, Own(Kind.TownHall)),
        [1664] = new(Transfuse, (u, t) => t != u && t.Owner == u.Owner && t.Type.Is(Attribute.Biological)),
        [140] = new(Feedback, (u, t) => t.Owner != u.Owner && t.Type.Energy > 0 && !t.Type.Is(Kind.Structure)),
        [401] = new((w, u, o) => Strike(w, u, o, 240), (u, t) => t.Owner != u.Owner, Loops: 45),
        [2714] = new(
            (w, u, o) => Strike(w, u, o, 170),
            (u, t) => t.Owner != u.Owner && t.Type.Is(Attribute.Biological),
            Loops: 32),
        [2544] = new(Summons.Shade),
        [2588] = new(Summons.Charge),
        [3753] = new(Shred, (u, t) => t.Owner != u.Owner && t.Owner != GameWorld.Neutral),
        [4107] = new((w, _, o) => Give(o.Target!, BuffId.BatteryOvercharge, w.Loop + 320), (u, t) =>
            t.Owner == u.Owner && t.Type.Id == UnitId.ShieldBattery && t.Finished),
        [1526] = new(Summons.ForceField),
        [2505] = new(Summons.Trap),
        [2346] = new(Summons.Nova),
        [2244] = new((w, u, o) => Lay(w, u, o, EffectId.TemporalFieldGrowing, 40)),
        [2063] = new((w, u, o) => Lay(w, u, o, EffectId.BlindingCloud, 120)),
        [2146] = new(Reveal),
        [2350] = new(EffectsOnGround.LockOn, (u, t) => t.Owner != u.Owner && t.Owner != GameWorld.Neutral),
        [3747] = new((w, _, o) => Give(o.Target!, BuffId.RavenScramblerMissile, w.Loop + 240), (u, t) => t.Owner != u.Owner
            && !t.Type.Is(Kind.Structure) && (t.Type.Is(Attribute.Mechanical) || t.Type.Is(Attribute.Psionic))),
        [2375] = new((_, u, _) => Give(u, BuffId.OracleWeapon, Forever)),
        [2376] = new((_, u, _) => Lose(u, BuffId.OracleWeapon)),
        [1825] = new((w, _, o) => Give(o.Target!, BuffId.Contaminated, w.Loop + 480), (u, t) =>
            t.Owner != u.Owner && t.Type.Is(Kind.Structure)),
        [2542] = new(Infect, (u, t) => t.Owner != u.Owner && t.Flying && !t.Type.Is(Kind.Structure)),
        [2067] = new(Leaps.Abduct, (u, t) => t != u && !t.Type.Is(Kind.Structure) && t.Owner != GameWorld.Neutral),
        [173] = new((_, _, _) => true, Liftable, Channel: 160, During: (w, u, o) => InReach(u, o, 8)
            && Give(o.Target!, BuffId.GravitonBeam, w.Loop + 8)),
        [2324] = new((_, _, _) => true, (u, t) => t.Owner != u.Owner && t.Type.Is(Kind.Structure), Channel: Forever,
            During: (w, u, o) => InReach(u, o, 8) && Spray(w, u, o)),
        [2073] = new((_, _, _) => true, Own(Kind.Structure), Channel: 320, During: (w, u, o) => Consume(w, u, o)),
        [249] = new((_, _, _) => true, Takeable, Channel: 240, During: (w, u, o) => InReach(u, o, 13) && Take(w, u, o.Target!)),
        [1442] = new(Leaps.Blink),
        [2700] = new(Leaps.Blink),
        [2358] = new(Leaps.Jump, Loops: 64),
        [3757] = new(Leaps.Recall, Loops: 80),
    };

    private static bool Liftable(Unit unit, Unit target) => target.Owner != GameWorld.Neutral && !target.Flying
        && !target.Type.Is(Kind.Structure) && !target.Type.Is(Attribute.Massive);

    // Not who carries others, an ultralisk, which is frenzied, or a mothership, which is heroic.
    private static bool Takeable(Unit unit, Unit target) => target.Owner != unit.Owner && target.Owner != GameWorld.Neutral
        && !target.Type.Is(Kind.Structure) && target.Finished && target.Change is null && target.Passengers.Count == 0
        && target.Type.Id is not (10 or 109 or 131) && !Buffs.Has(target, BuffId.NeuralParasite) && !Buffs.Has(target, BuffId.OracleStasisTrapTarget);

    private static bool Take(GameWorld world, Unit unit, Unit target)
    {
        if (target.Owner != unit.Owner)
        {
            world.ChangeOwner(target, unit.Owner);
        }

        return Give(target, BuffId.NeuralParasite, world.Loop + 2);
    }

    private static bool InReach(Unit unit, Order order, int cells) =>
        Combat.Within(unit, order.Target!, cells * Geometry.Cell);

    // A point each fifth of a second for six seconds, then five.
    private static bool Spray(GameWorld world, Unit unit, Order order)
    {
        Combat.Hurt(world, unit.Owner, order.Target!, (Forever - order.Left > 96 ? 25 : 5) * Point / 16);
        return true;
    }

    // Each second ten points of the building's for two and a half of energy.
    private static bool Consume(GameWorld world, Unit unit, Order order)
    {
        if (order.Left % 16 == 0)
        {
            Casualties.Wound(world, GameWorld.Neutral, order.Target!, 0, 10 * Point);
            unit.Energy = Math.Min(unit.Type.Energy * Point, unit.Energy + (5 * Point / 2));
        }

        return true;
    }

    private static bool Reveal(GameWorld world, Unit unit, Order order) => EffectsOnGround.Around(
        world, order.X, order.Y, 8 * Geometry.Cell, 6 * Geometry.Cell, other => other.Owner != unit.Owner,
        other =>
        {
            Buffs.Put(other, BuffId.OracleRevelation, world.Loop + 448);
            world.Effects.Add(new Effect(EffectsOnGround.Revealed, unit.Owner, other.X, other.Y, world.Loop + 448, other));
        });

    private static bool Infect(GameWorld world, Unit unit, Order order)
    {
        var target = order.Target!;
        world.Effects.Add(new Effect(EffectsOnGround.Bomb, unit.Owner, target.X, target.Y, world.Loop + 160, target));
        return Give(target, BuffId.ParasiticBomb, world.Loop + 160);
    }

    private static Func<Unit, Unit, bool> Own(Kind kind) => (unit, target) =>
        target.Owner == unit.Owner && target.Type.Is(kind) && target.Finished;

    private static bool Give(Unit unit, int buff, int until)
    {
        Buffs.Put(unit, buff, until);
        return true;
    }

    private static bool Lose(Unit unit, int buff)
    {
        Buffs.Drop(unit, buff);
        return true;
    }

    private static bool Stim(GameWorld world, Unit unit, int buff, int life)
    {
        if (unit.Health <= life * Point)
        {
            return false;
        }

        unit.Health -= life * Point;
        return Give(unit, buff, world.Loop + 246);
    }

    private static bool Lay(GameWorld world, Unit unit, Order order, int effect, int loops)
    {
        world.Effects.Add(new Effect(effect, unit.Owner, order.X, order.Y, world.Loop + loops));
        return true;
    }

    private static bool Shield(GameWorld world, Unit unit)
    {
        var until = world.Loop + 246;
        world.Effects.Add(new Effect(EffectId.GuardianShield, unit.Owner, unit.X, unit.Y, until, unit));
        return true;
    }

    private static bool Explode(GameWorld world, Unit unit, Order order)
    {
        var player = world.PlayerOf(unit.Owner);
        var weapon = Arms.Against(unit.Type, flying: false)!;
        foreach (var other in world.Bins.Near(unit.X, unit.Y, Arms.SplashOf(unit.Type) + Geometry.Cell))
        {
            if (other.Owner != unit.Owner && other.Owner != GameWorld.Neutral && !other.Flying
                && Combat.Within(unit, other, Arms.SplashOf(unit.Type) - unit.Type.Radius))
            {
                Combat.Hurt(world, unit.Owner, other, Hits.DamageTo(player, unit.Type, weapon, other.Type) * Point);
            }
        }

        Casualties.Wound(world, unit.Owner, unit, unit.Shield, unit.Health);
        return true;
    }

    private static bool Fungal(GameWorld world, Unit unit, Order order) => EffectsOnGround.Around(
        world, order.X, order.Y, 4 * Geometry.Cell, 9 * Geometry.Cell / 4,
        other => other.Owner != unit.Owner && !other.Type.Is(Kind.Structure),
        other =>
        {
            Combat.Hurt(world, unit.Owner, other, 30 * Point);
            Buffs.Put(other, BuffId.FungalGrowth, world.Loop + 64);
        });

    // 2.88 cells around its target, no buildings.
    private static bool Shred(GameWorld world, Unit unit, Order order)
    {
        var (x, y) = (order.Target!.X, order.Target.Y);
        foreach (var other in world.Bins.Near(x, y, 5 * Geometry.Cell))
        {
            if (other.Owner != GameWorld.Neutral && !other.Type.Is(Kind.Structure)
                && Geometry.Length(other.X - x, other.Y - y) <= Geometry.Cell * 72 / 25)
            {
                Buffs.Put(other, BuffId.RavenShredderMissileTint, world.Loop + 480);
                Buffs.Put(other, BuffId.RavenShredderMissileArmorReduction, world.Loop + 480);
            }
        }

        return true;
    }

    // A ghost's pulse takes energy and shields.
    private static bool Pulse(GameWorld world, Unit unit, Order order) => EffectsOnGround.Around(
        world, order.X, order.Y, 3 * Geometry.Cell, 3 * Geometry.Cell / 2, _ => true, other =>
        {
            other.Energy = Math.Max(0, other.Energy - (100 * Point));
            Casualties.Wound(world, unit.Owner, other, Math.Min(other.Shield, 100 * Point), 0);
        });

    private static bool Inject(GameWorld world, Unit unit, Order order)
    {
        Larvae.Inject(world, order.Target!);
        return true;
    }

    // 75 at once, 50 more as a buff (see Life).
    private static bool Transfuse(GameWorld world, Unit unit, Order order)
    {
        var target = order.Target!;
        target.Health = Math.Min(target.MostHealth, target.Health + (75 * Point));
        return Give(target, BuffId.Transfusion, world.Loop + 160);
    }

    private static bool Feedback(GameWorld world, Unit unit, Order order)
    {
        var target = order.Target!;
        var energy = target.Energy;
        target.Energy = 0;
        Combat.Hurt(world, unit.Owner, target, energy / 2);
        return true;
    }

    private static bool Strike(GameWorld world, Unit unit, Order order, int points)
    {
        Combat.Hurt(world, unit.Owner, order.Target!, points * Point);
        return true;
    }
}
