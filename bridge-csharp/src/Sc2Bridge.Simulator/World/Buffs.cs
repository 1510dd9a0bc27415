using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>The buffs of units. Ids are from BuffData.</summary>
internal static class Buffs
{
    /// <summary>Whether a unit has a buff.</summary>
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

    /// <summary>Whether a buff stuns the unit, so that it can do nothing.</summary>
    public static bool Stuns(Unit unit) => unit.Buffs.Count > 0 && Sum(unit, static buff => buff.Stuns ? 1 : 0) > 0;

    /// <summary>The sum of a value over all buffs of a unit.</summary>
    public static int Sum(Unit unit, Func<BuffType, int> what)
    {
        var sum = 0;
        for (var i = 0; i < unit.Buffs.Count; i++)
        {
            sum += what(TechTree.Buff(unit.Buffs[i].Id));
        }

        return sum;
    }

    /// <summary>Gives a unit a buff, or extends the buff that it has.</summary>
    /// <param name="unit">The unit.</param>
    /// <param name="id">The buff.</param>
    /// <param name="until">The loop that ends the buff.</param>
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

    /// <summary>Removes a buff.</summary>
    public static void Drop(Unit unit, int id) => unit.Buffs.RemoveAll(b => b.Id == id);

    /// <summary>How the buffs change a unit's speed, in percent.</summary>
    public static int SpeedPercent(Unit unit) => Percent(unit, static buff => buff.Speed);

    /// <summary>How the buffs change the rate of a unit's weapon, in percent.</summary>
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
