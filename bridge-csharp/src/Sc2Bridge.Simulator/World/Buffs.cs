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
    public static bool Stuns(Unit unit) => unit.Buffs.Count > 0 && Sum(unit, static buff => buff.Stuns ? 1 : 0) > 0;

    /// <summary>What all that works on a unit adds to something.</summary>
    public static int Sum(Unit unit, Func<BuffType, int> what)
    {
        var sum = 0;
        for (var i = 0; i < unit.Buffs.Count; i++)
        {
            sum += what(TechTree.Buff(unit.Buffs[i].Id));
        }

        return sum;
    }

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
    public static int SpeedPercent(Unit unit) => Percent(unit, static buff => buff.Speed);

    /// <summary>How fast a unit's weapon is, in hundredths.</summary>
    public static int WeaponPercent(Unit unit) => Percent(unit, static buff => buff.WeaponSpeed);

    private static int Percent(Unit unit, Func<BuffType, int> what)
    {
        var percent = 100;
        for (var i = 0; i < unit.Buffs.Count; i++)
        {
            percent = percent * what(TechTree.Buff(unit.Buffs[i].Id)) / 100;
        }

        return percent;
    }
}
