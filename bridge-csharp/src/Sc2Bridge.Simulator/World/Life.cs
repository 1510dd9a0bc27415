using System.Runtime.InteropServices;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Updates energy, shields, regeneration, cooldowns, buffs and timed life.</summary>
/// <remarks>Rates are the game's at normal speed, 16 loops a second.</remarks>
internal static class Life
{
    private const int EnergyStep = 9; // 0.5625 a second is exactly 9/256 a loop
    private const int ShieldStep = 32; // 2 a second
    private const int ShieldWait = 160; // ten seconds after the last hit
    private const int ZergStep = 35; // 0.2734 a second, applied every eighth loop
    private const int BurnStep = 384; // 3 a second, applied every eighth loop

    public static void Update(GameWorld world)
    {
        for (var i = 0; i < world.Units.Count; i++)
        {
            var unit = world.Units[i];
            if (!unit.Alive || (unit.Owner == GameWorld.Neutral && unit.Expires == 0))
            {
                continue;
            }

            if (unit.WeaponLeft > -256)
            {
                unit.WeaponLeft -= 256;
            }

            if (unit.Cooldowns.Count > 0)
            {
                Cool(unit);
            }

            if (unit.Buffs.Count > 0)
            {
                Fade(world, unit);
            }

            if (unit.Expires > 0 && world.Loop >= unit.Expires)
            {
                Summons.End(world, unit);
            }
            else if (unit.Finished && world.Loop > unit.SetUntil)
            {
                Recover(world, unit);
            }
        }
    }

    private static void Recover(GameWorld world, Unit unit)
    {
        var type = unit.Type;
        if (type.Energy > 0 && unit.Energy < type.Energy * 256)
        {
            unit.Energy = Math.Min(type.Energy * 256, unit.Energy + EnergyStep);
        }

        if (type.Shield > 0 && unit.Shield < type.Shield * 256 && world.Loop - unit.LastHit > ShieldWait)
        {
            unit.Shield = Math.Min(type.Shield * 256, unit.Shield + ShieldStep);
        }

        if (!unit.IsDue(world.Loop))
        {
            return;
        }

        Summons.Settle(world, unit);
        var most = unit.MostHealth;
        if (type.Race == SC2APIProtocol.Race.Zerg)
        {
            unit.Health = Math.Min(most, unit.Health + (type.Regeneration > 0 ? type.Regeneration : ZergStep));
        }
        else if (type.Race == SC2APIProtocol.Race.Terran && type.Is(Kind.Structure) && unit.Health < most / 3)
        {
            // A Terran building with less than a third of its life burns down.
            Casualties.Wound(world, GameWorld.Neutral, unit, 0, BurnStep);
        }
    }

    private static void Fade(GameWorld world, Unit unit)
    {
        for (var i = unit.Buffs.Count - 1; i >= 0; i--)
        {
            var (id, until) = unit.Buffs[i];
            var buff = TechTree.Buff(id);
            if (until <= world.Loop)
            {
                unit.Buffs.RemoveAt(i);
                if (id == BuffId.NeuralParasite)
                {
                    world.ChangeOwner(unit, unit.FirstOwner);
                }
            }
            else if (buff.Energy > 0 && (unit.Energy -= buff.Energy) <= 0)
            {
                unit.Energy = 0;
                unit.Buffs.RemoveAt(i);
            }
            else if (buff.Life > 0)
            {
                unit.Health = Math.Min(unit.MostHealth, unit.Health + buff.Life);
            }
        }
    }

    private static void Cool(Unit unit)
    {
        // Removing a key or changing a value in place does not invalidate the enumerator.
        foreach (var ability in unit.Cooldowns.Keys)
        {
            if (--CollectionsMarshal.GetValueRefOrNullRef(unit.Cooldowns, ability) <= 0)
            {
                unit.Cooldowns.Remove(ability);
            }
        }
    }
}
