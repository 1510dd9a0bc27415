using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>An effect on the ground.</summary>
/// <param name="Id">The id in EffectData. Observations do not show an effect with an id of 0 or less.</param>
/// <param name="Owner">The player that owns it.</param>
/// <param name="X">The center.</param>
/// <param name="Y">The center.</param>
/// <param name="Until">The loop that ends the effect.</param>
/// <param name="Source">The unit that it moves with, or null.</param>
/// <param name="Target">The unit that it affects, if that is not the source.</param>
/// <param name="Spell">The spell that created it, with its values. If it is null, the effect does nothing by itself.</param>
internal sealed record Effect(
    int Id, int Owner, int X, int Y, int Until, Unit? Source = null, Unit? Target = null, Spell? Spell = null)
{
    /// <summary>A copy for a copied world.</summary>
    public Effect Copy(WorldCopy copies) => this with { Source = copies.UnitOf(Source), Target = copies.UnitOf(Target) };
}

/// <summary>Updates effects on the ground, cloaking fields and stasis traps.</summary>
internal static class EffectsOnGround
{
    /// <summary>A parasitic bomb. Observations show only its buff on the unit.</summary>
    public const int Bomb = 0;

    /// <summary>An oracle's revelation of one unit.</summary>
    public const int Revealed = -1;

    /// <summary>A cyclone's lock on another unit.</summary>
    public const int Lock = -2;

    private const int Every = 8; // loops between two checks for cloaks and traps
    private const int CloakRange = 5 * Geometry.Cell;

    private static readonly int MothershipIndex = TechTree.Unit(UnitId.Mothership).Index;
    private static readonly int TrapIndex = TechTree.Unit(UnitId.OracleStasisTrap).Index;
    private static readonly int[] Radii = [.. TechTree.Effects.Select(e => (int)(e.Radius * Geometry.Cell))];

    /// <summary>The radius of an effect of the game's data.</summary>
    public static int RadiusOf(int id) => Radii[id];

    /// <summary>Creates an effect.</summary>
    public static bool Lay(
        GameWorld world, Unit unit, Spell spell, int id, (int X, int Y) at, int until, Unit? source = null,
        Unit? target = null)
    {
        world.Effects.Add(new Effect(id, unit.Owner, at.X, at.Y, until, source, target, spell));
        return true;
    }

    /// <summary>Updates all effects for one loop.</summary>
    public static void Update(GameWorld world)
    {
        for (var i = world.Effects.Count - 1; i >= 0; i--)
        {
            var effect = world.Effects[i];
            if (effect.Until <= world.Loop || effect.Source is { Alive: false }
                || (effect.Id is EffectId.LiberatorDefenderZoneSetup or EffectId.LiberatorDefenderZone
                    && effect.Source is { Zone: null })
                || (effect.Target is { } locked && !StillLocked(effect, effect.Source!, locked)))
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

    private static bool StillLocked(Effect effect, Unit unit, Unit target) => target.Alive && target.Present
        && Combat.Sees(unit.Owner, target) && Combat.Within(unit, target, effect.Spell!.Reach)
        && !Buffs.Stuns(unit) && !Buffs.Has(unit, BuffId.RavenScramblerMissile);

    private static void Act(GameWorld world, Effect effect)
    {
        if (effect.Spell is not { } spell)
        {
            return;
        }

        if (effect.Id == EffectId.PsiStorm)
        {
            // Two storms at one point do as much damage as one.
            spell.Around(world, effect.Owner, effect.X, effect.Y, unit =>
            {
                if (!Buffs.Has(unit, spell.Buff))
                {
                    Buffs.Put(unit, spell.Buff, world.Loop + spell.Every);
                    Combat.Hurt(world, effect.Owner, unit, spell.Points);
                }
            });
        }
        else if (effect.Id == spell.Effect && spell.After > 0)
        {
            spell.Around(
                world, effect.Owner, effect.X, effect.Y, unit => Buffs.Put(unit, spell.Buff, world.Loop + spell.After));
        }
        else if (effect is { Id: Lock, Source: { } cyclone, Target: { } locked })
        {
            // During the lock, the cyclone's weapon does not shoot. The lock's cooldown begins when the lock ends.
            cyclone.WeaponLeft = Math.Max(cyclone.WeaponLeft, 512);
            cyclone.Cooldowns[AbilityId.EffectLockOn] = TechTree.Ability(AbilityId.EffectLockOn).Cooldown;
            if ((effect.Until - world.Loop) % spell.Every == 0)
            {
                Combat.Hurt(world, effect.Owner, locked, spell.Points);
            }
        }
        else if (effect.Id == Bomb && world.Loop % spell.Every == 0)
        {
            spell.Around(
                world, effect.Owner, effect.X, effect.Y, unit => Combat.Hurt(world, effect.Owner, unit, spell.Points));
        }
    }

    private static void End(GameWorld world, Effect effect)
    {
        if (effect is { Id: EffectId.TemporalFieldGrowing, Spell: { } warp })
        {
            world.Effects.Add(effect with { Id = warp.Effect, Until = warp.Until(world) });
        }
        else if (effect.Id == EffectId.LiberatorDefenderZoneSetup && effect.Source is { Alive: true, Zone: not null })
        {
            world.Effects.Add(effect with { Id = EffectId.LiberatorDefenderZone, Until = int.MaxValue });
        }
        else if (effect.Target is { } locked)
        {
            Buffs.Drop(locked, BuffId.LockOn);
        }
        else if (effect is { Id: EffectId.CorrosiveBile, Spell: { } bile })
        {
            bile.Around(
                world, effect.Owner, effect.X, effect.Y, unit => Combat.Hurt(world, effect.Owner, unit, bile.Points));
        }
    }

    // A stasis trap is triggered by an enemy on the ground, and stuns all enemies near it.
    private static void SpringTraps(GameWorld world)
    {
        var spell = Spells.All[AbilityId.BuildStasisTrap];
        for (var i = 0; i < world.Units.Count && Array.Exists(world.Players, p => p.Finished[TrapIndex] > 0); i++)
        {
            var trap = world.Units[i];
            if (trap.Alive && trap.Type.Id == UnitId.OracleStasisTrap && trap.Finished
                && world.Units.Any(unit => Caught(unit, trap, spell.Reach)))
            {
                foreach (var unit in world.Units.Where(unit => Caught(unit, trap, spell.Radius)))
                {
                    Buffs.Put(unit, spell.Buff, world.Loop + spell.After);
                }

                world.Remove(trap, died: true);
            }
        }
    }

    private static bool Caught(Unit unit, Unit trap, int reach) => unit.Alive && unit.Present && !unit.Flying
        && unit.Owner != trap.Owner && unit.Owner != GameWorld.Neutral && !unit.Type.Is(Kind.Structure)
        && !Buffs.Has(unit, BuffId.OracleStasisTrapTarget) && Combat.Within(unit, trap, reach);

    // A mothership cloaks units near it, but not itself.
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
