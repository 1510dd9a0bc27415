namespace Sc2Bridge.Simulator.World;

/// <summary>What works on a unit for a while; ids are BuffData's.</summary>
internal static class Buffs
{
    /// <summary>Ghost's cloak.</summary>
    public const int GhostCloak = 6;

    /// <summary>Banshee's cloak.</summary>
    public const int BansheeCloak = 7;

    /// <summary>A queen's eggs in a hatchery.</summary>
    public const int Inject = 11;

    /// <summary>Fungal growth: rooted.</summary>
    public const int Fungal = 17;

    /// <summary>Another player's for as long as an infestor holds it.</summary>
    public const int NeuralParasite = 22;

    /// <summary>In a guardian shield.</summary>
    public const int GuardianShield = 18;

    /// <summary>A marauder's stimpack.</summary>
    public const int StimMarauder = 24;

    /// <summary>A marine's stimpack.</summary>
    public const int StimMarine = 27;

    /// <summary>In a psionic storm.</summary>
    public const int PsiStorm = 28;

    /// <summary>Near a mothership.</summary>
    public const int CloakField = 29;

    /// <summary>Hit by concussive shells.</summary>
    public const int Slowed = 33;

    /// <summary>A medivac's afterburners.</summary>
    public const int MedivacBoost = 89;

    /// <summary>A void ray's prismatic alignment.</summary>
    public const int Prismatic = 122;

    /// <summary>Chrono boost.</summary>
    public const int ChronoBoost = 281;

    /// <summary>Hit by an anti-armor missile.</summary>
    public const int Shredded = 279;

    /// <summary>The same once more: the game has one for the tint and one for the armour.</summary>
    public const int ShreddedArmor = 280;

    /// <summary>Overcharged by a nexus.</summary>
    public const int Overcharged = 298;

    /// <summary>Lifted by a phoenix.</summary>
    public const int Graviton = 5;

    /// <summary>Contaminated by an overseer: makes nothing.</summary>
    public const int Contaminated = 36;

    /// <summary>Locked on by a cyclone.</summary>
    public const int LockedOn = 116;

    /// <summary>In an interference matrix: neither fights nor casts nor hides.</summary>
    public const int Interfered = 277;

    /// <summary>Seen and detected by an oracle's player (<see cref="EffectsOnGround.Revealed"/> says by whom).</summary>
    public const int Revelation = 49;

    /// <summary>In a blinding cloud: fights only what touches it.</summary>
    public const int BlindingCloud = 83;

    /// <summary>An oracle whose pulsar beam is on.</summary>
    public const int PulsarBeam = 99;

    /// <summary>In a time warp: half as fast, its weapon too.</summary>
    public const int TimeWarp = 124;

    /// <summary>In a stasis trap.</summary>
    public const int Stasis = 129;

    /// <summary>A bomb on a flying unit.</summary>
    public const int ParasiticBomb = 132;

    /// <summary>Healed by a transfusion.</summary>
    public const int Transfusion = 288;

    /// <summary>Whether something works on a unit.</summary>
    public static bool Has(Unit unit, int id)
    {
        for (var i = 0; i < unit.Buffs.Count; i++)
        {
            if (unit.Buffs[i].Id == id)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a unit can do nothing now.</summary>
    public static bool Stuns(Unit unit) => unit.Buffs.Count > 0 && (Has(unit, Graviton) || Has(unit, Stasis));

    /// <summary>Puts something on a unit, or makes it last longer.</summary>
    /// <param name="unit">Whom.</param>
    /// <param name="id">What.</param>
    /// <param name="until">The loop in which it ends.</param>
    public static void Put(Unit unit, int id, int until)
    {
        for (var i = 0; i < unit.Buffs.Count; i++)
        {
            if (unit.Buffs[i].Id == id)
            {
                unit.Buffs[i] = (id, Math.Max(until, unit.Buffs[i].Until));
                return;
            }
        }

        unit.Buffs.Add((id, until));
    }

    /// <summary>Takes something off a unit.</summary>
    public static void Drop(Unit unit, int id) => unit.Buffs.RemoveAll(b => b.Id == id);

    /// <summary>How fast a unit is, in hundredths of its speed without any of it.</summary>
    public static int SpeedPercent(Unit unit)
    {
        var percent = 100;
        foreach (var (id, _) in unit.Buffs)
        {
            percent = id switch
            {
                StimMarine or StimMarauder => percent * 3 / 2,
                MedivacBoost => percent * 17 / 10,
                Prismatic => percent * 3 / 5,
                Slowed or TimeWarp => percent / 2,
                Fungal => percent / 4,
                _ => percent,
            };
        }

        return percent;
    }
}
