using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>An effect on the ground.</summary>
/// <param name="Id">EffectData's.</param>
/// <param name="Owner">Whose.</param>
/// <param name="X">Its middle.</param>
/// <param name="Y">Its middle.</param>
/// <param name="Until">The loop in which it ends.</param>
/// <param name="Source">The unit that it goes with, or null.</param>
internal sealed record Effect(int Id, int Owner, int X, int Y, int Until, Unit? Source = null);

/// <summary>What effects on the ground do, and the fields of units.</summary>
internal static class EffectsOnGround
{
    /// <summary>A psionic storm.</summary>
    public const int Storm = 1;

    /// <summary>A sentry's guardian shield.</summary>
    public const int GuardianShield = 2;

    /// <summary>A scanner sweep.</summary>
    public const int Scan = 6;

    /// <summary>A ravager's bile on its way down.</summary>
    public const int Bile = 11;

    /// <summary>How far a scan sees, in cells.</summary>
    public const int ScanRadius = 13;

    private const int Every = 8; // loops between a storm's strokes: eight of ten points
    private const int StormStroke = 10 * 256;
    private const int BileDamage = 60 * 256;
    private const int Mothership = 10;
    private const int CloakRange = 5 * Geometry.Cell;

    private static readonly int MothershipIndex = TechTree.Unit(Mothership).Index;

    /// <summary>One loop.</summary>
    public static void Update(GameWorld world)
    {
        for (var i = world.Effects.Count - 1; i >= 0; i--)
        {
            var effect = world.Effects[i];
            if (effect.Until <= world.Loop || effect.Source is { Alive: false })
            {
                world.Effects.RemoveAt(i);
                End(world, effect);
            }
            else if (effect.Source is { } source)
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
        }
    }

    private static void Act(GameWorld world, Effect effect)
    {
        if (effect.Id == Storm)
        {
            foreach (var unit in world.Bins.Near(effect.X, effect.Y, 3 * Geometry.Cell))
            {
                // Two storms in one place hurt no more than one.
                if (Covers(effect, unit, 3 * Geometry.Cell / 2) && !unit.Type.Is(Kind.Structure)
                    && !Buffs.Has(unit, Buffs.PsiStorm))
                {
                    Buffs.Put(unit, Buffs.PsiStorm, world.Loop + Every);
                    Combat.Hurt(world, effect.Owner, unit, StormStroke);
                }
            }
        }
        else if (effect.Id == GuardianShield)
        {
            foreach (var unit in world.Bins.Near(effect.X, effect.Y, 5 * Geometry.Cell))
            {
                if (unit.Owner == effect.Owner && Covers(effect, unit, 9 * Geometry.Cell / 2))
                {
                    Buffs.Put(unit, Buffs.GuardianShield, world.Loop + 2);
                }
            }
        }
    }

    private static void End(GameWorld world, Effect effect)
    {
        if (effect.Id != Bile)
        {
            return;
        }

        foreach (var unit in world.Bins.Near(effect.X, effect.Y, 4 * Geometry.Cell))
        {
            if (Covers(effect, unit, Geometry.Cell / 2))
            {
                Combat.Hurt(world, effect.Owner, unit, BileDamage);
            }
        }
    }

    private static bool Covers(Effect effect, Unit unit, int radius) => unit.Owner != GameWorld.Neutral
        && Geometry.Length(unit.X - effect.X, unit.Y - effect.Y) <= radius + unit.Type.Radius;

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
                if (ship.Alive && ship.Owner == player.Id && ship.Type.Id == Mothership)
                {
                    foreach (var unit in world.Bins.Near(ship.X, ship.Y, CloakRange))
                    {
                        if (unit.Owner == player.Id && unit != ship && Combat.Within(unit, ship, CloakRange))
                        {
                            Buffs.Put(unit, Buffs.CloakField, world.Loop + (2 * Every));
                        }
                    }
                }
            }
        }
    }
}
