using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>An effect on the ground.</summary>
/// <param name="Id">EffectData's; 0 and less: observations do not show it.</param>
/// <param name="Owner">Whose.</param>
/// <param name="X">Its middle.</param>
/// <param name="Y">Its middle.</param>
/// <param name="Until">The loop in which it ends.</param>
/// <param name="Source">The unit that it goes with, or null.</param>
/// <param name="Target">Whom it works on, where that is another.</param>
internal sealed record Effect(int Id, int Owner, int X, int Y, int Until, Unit? Source = null, Unit? Target = null);

/// <summary>What effects on the ground do, and the fields of units.</summary>
internal static class EffectsOnGround
{
    /// <summary>A parasitic bomb, which observations show on the unit alone.</summary>
    public const int Bomb = 0;

    /// <summary>An oracle's revelation of one unit.</summary>
    public const int Revealed = -1;

    /// <summary>A cyclone's lock on another unit.</summary>
    public const int Lock = -2;

    /// <summary>How far a scan sees, in cells.</summary>
    public const int ScanRadius = 13;

    private const int Every = 8; // loops between a storm's strokes: eight of ten points
    private const int StormStroke = 10 * 256;
    private const int BombEvery = 4; // loops between a parasitic bomb's strokes
    private const int BombStroke = 3 * 256;
    private const int BileDamage = 60 * 256;
    private const int LockLoops = 320;
    private const int LockEvery = 16; // loops between a lock's strokes, which no armour lessens
    private const int LockStroke = 20 * 256;
    private const int LockRange = 15 * Geometry.Cell;
    private const int CloakRange = 5 * Geometry.Cell;

    private static readonly int MothershipIndex = TechTree.Unit(UnitId.Mothership).Index;
    private static readonly int TrapIndex = TechTree.Unit(UnitId.OracleStasisTrap).Index;

    // What puts a buff on those in it: how far it reaches, on whom, and for how many loops after they have left.
    // EffectData's and BehaviorData's of SC2Mapster's SC2GameData, build 5.0.9.
    private static readonly Dictionary<int, (int Buff, int Radius, int After, Func<Effect, Unit, bool> On)> Auras = new()
    {
        [EffectId.GuardianShield] = (BuffId.GuardianShield, 9 * Geometry.Cell / 2, 2, static (e, u) => u.Owner == e.Owner),
        [EffectId.TemporalField] = (BuffId.TemporalField, 4 * Geometry.Cell, 2, static (e, u) => u.Owner != e.Owner),
        [EffectId.BlindingCloud] = (BuffId.BlindingCloud, 2 * Geometry.Cell, 10, static (_, u) => !u.Flying),
    };

    /// <summary>One loop.</summary>
    public static void Update(GameWorld world)
    {
        for (var i = world.Effects.Count - 1; i >= 0; i--)
        {
            var effect = world.Effects[i];
            if (effect.Until <= world.Loop || effect.Source is { Alive: false }
                || (effect.Id is EffectId.LiberatorDefenderZoneSetup or EffectId.LiberatorDefenderZone && effect.Source is { Zone: null })
                || (effect.Target is { } locked && !Holds(effect.Source!, locked)))
            {
                world.Effects.RemoveAt(i);
                End(world, effect);
            }
            else if (effect.Source is { Zone: null } source)
            {
                world.Effects[i] = effect with { X = source.X, Y = source.Y };
                Act(world, effect);
            }
            else
            {
                Act(world, effect);
            }
        }

        if (world.Loop % Every == 0)
        {
            Cloak(world);
            SpringTraps(world);
        }
    }

    /// <summary>A cyclone locks on (void.sc2mod's LockOnCP, balancemulti.sc2mod's CycloneWeaponDamage, build 5.0.14).</summary>
    public static bool LockOn(GameWorld world, Unit unit, Order order)
    {
        Buffs.Put(order.Target!, BuffId.LockOn, world.Loop + LockLoops);
        world.Effects.Add(new Effect(Lock, unit.Owner, unit.X, unit.Y, world.Loop + LockLoops, unit, order.Target));
        return true;
    }

    private static bool Holds(Unit unit, Unit target) => target.Alive && target.Present && Combat.Sees(unit.Owner, target)
        && Combat.Within(unit, target, LockRange) && !Buffs.Stuns(unit) && !Buffs.Has(unit, BuffId.RavenScramblerMissile);

    /// <summary>Does something to each unit, but for nobody's, that a disc touches.</summary>
    /// <param name="world">The world.</param>
    /// <param name="x">Its middle.</param>
    /// <param name="y">Its middle.</param>
    /// <param name="look">How far the units' own middles are looked for.</param>
    /// <param name="radius">The disc's.</param>
    /// <param name="which">To whom of them.</param>
    /// <param name="act">What.</param>
    /// <returns>Always true: as a spell, it is cast.</returns>
    public static bool Around(
        GameWorld world, int x, int y, int look, int radius, Predicate<Unit> which, Action<Unit> act)
    {
        foreach (var unit in world.Bins.Near(x, y, look))
        {
            if (unit.Owner != GameWorld.Neutral && Geometry.Length(unit.X - x, unit.Y - y) <= radius + unit.Type.Radius
                && which(unit))
            {
                act(unit);
            }
        }

        return true;
    }

    private static void Act(GameWorld world, Effect effect)
    {
        var (x, y) = (effect.X, effect.Y);
        if (effect.Id == EffectId.PsiStorm)
        {
            // Two storms in one place hurt no more than one.
            Around(
                world, x, y, 3 * Geometry.Cell, 3 * Geometry.Cell / 2,
                unit => !unit.Type.Is(Kind.Structure) && !Buffs.Has(unit, BuffId.PsiStorm),
                unit =>
                {
                    Buffs.Put(unit, BuffId.PsiStorm, world.Loop + Every);
                    Combat.Hurt(world, effect.Owner, unit, StormStroke);
                });
        }
        else if (Auras.TryGetValue(effect.Id, out var aura))
        {
            Around(
                world, x, y, aura.Radius + Geometry.Cell, aura.Radius, unit => aura.On(effect, unit),
                unit => Buffs.Put(unit, aura.Buff, world.Loop + aura.After));
        }
        else if (effect is { Id: Lock, Source: { } cyclone, Target: { } locked })
        {
            // Meanwhile its weapon rests, and the lock's own cooldown begins when it ends.
            cyclone.WeaponLeft = Math.Max(cyclone.WeaponLeft, 512);
            cyclone.Cooldowns[AbilityId.EffectLockOn] = TechTree.Ability(AbilityId.EffectLockOn).Cooldown;
            if ((effect.Until - world.Loop) % LockEvery == 0)
            {
                Combat.Hurt(world, effect.Owner, locked, LockStroke);
            }
        }
        else if (effect.Id == Bomb && world.Loop % BombEvery == 0)
        {
            Around(
                world, x, y, 4 * Geometry.Cell, 3 * Geometry.Cell,
                unit => unit.Flying && unit.Owner != effect.Owner && !unit.Type.Is(Kind.Structure),
                unit => Combat.Hurt(world, effect.Owner, unit, BombStroke));
        }
    }

    private static void End(GameWorld world, Effect effect)
    {
        if (effect.Id == EffectId.TemporalFieldGrowing)
        {
            world.Effects.Add(effect with { Id = EffectId.TemporalField, Until = world.Loop + 160 });
        }
        else if (effect.Id == EffectId.LiberatorDefenderZoneSetup && effect.Source is { Alive: true, Zone: not null })
        {
            world.Effects.Add(effect with { Id = EffectId.LiberatorDefenderZone, Until = int.MaxValue });
        }
        else if (effect.Target is { } locked)
        {
            Buffs.Drop(locked, BuffId.LockOn);
        }
        else if (effect.Id == EffectId.CorrosiveBile)
        {
            Around(
                world, effect.X, effect.Y, 4 * Geometry.Cell, Geometry.Cell / 2, _ => true,
                unit => Combat.Hurt(world, effect.Owner, unit, BileDamage));
        }
    }

    // A stasis trap waits for an enemy on the ground three cells away, and takes all that are five away for 30 seconds.
    private static void SpringTraps(GameWorld world)
    {
        for (var i = 0; i < world.Units.Count && Array.Exists(world.Players, p => p.Finished[TrapIndex] > 0); i++)
        {
            var trap = world.Units[i];
            if (!trap.Alive || trap.Type.Id != UnitId.OracleStasisTrap || !trap.Finished || !world.Units.Any(u => Caught(u, trap, 3)))
            {
                continue;
            }

            foreach (var unit in world.Units.Where(u => Caught(u, trap, 5)))
            {
                Buffs.Put(unit, BuffId.OracleStasisTrapTarget, world.Loop + 480);
            }

            world.Remove(trap, died: true);
        }
    }

    private static bool Caught(Unit unit, Unit trap, int cells) => unit.Alive && unit.Present && !unit.Flying
        && unit.Owner != trap.Owner && unit.Owner != GameWorld.Neutral && !unit.Type.Is(Kind.Structure)
        && !Buffs.Has(unit, BuffId.OracleStasisTrapTarget) && Combat.Within(unit, trap, cells * Geometry.Cell);

    // A mothership cloaks what is near it, but not itself.
    private static void Cloak(GameWorld world)
    {
        foreach (var player in world.Players)
        {
            if (player.Finished[MothershipIndex] == 0)
            {
                continue;
            }

            foreach (var ship in world.Units)
            {
                if (ship.Alive && ship.Owner == player.Id && ship.Type.Id == UnitId.Mothership)
                {
                    foreach (var unit in world.Bins.Near(ship.X, ship.Y, CloakRange))
                    {
                        if (unit.Owner == player.Id && unit != ship && Combat.Within(unit, ship, CloakRange))
                        {
                            Buffs.Put(unit, BuffId.CloakFieldEffect, world.Loop + (2 * Every));
                        }
                    }
                }
            }
        }
    }
}
