using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>What works on a unit for a while; ids are BuffData's.</summary>
internal static class Buffs
{
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
    public static bool Stuns(Unit unit) => unit.Buffs.Count > 0 && (Has(unit, BuffId.GravitonBeam) || Has(unit, BuffId.OracleStasisTrapTarget));

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
                BuffId.Stimpack or BuffId.StimpackMarauder => percent * 3 / 2,
                BuffId.MedivacSpeedBoost => percent * 17 / 10,
                BuffId.VoidRaySwarmDamageBoost => percent * 3 / 5,
                BuffId.Slow or BuffId.TemporalField => percent / 2,
                BuffId.FungalGrowth => percent / 4,
                _ => percent,
            };
        }

        return percent;
    }
}
