using Sc2Bridge.Simulator.Facts;
using Target = SC2APIProtocol.Weapon.Types.TargetType;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// The weapons of each type: weapons in ResponseData, and weapons that it leaves out because they are beams, launched units
/// or explosions.
/// </summary>
internal static class Arms
{
    private static readonly Weapon?[] AgainstGround = [.. TechTree.Units.Select(u => Find(u, Target.Air))];
    private static readonly Weapon?[] AgainstAir = [.. TechTree.Units.Select(u => Find(u, Target.Ground))];
    private static readonly Weapon?[] AgainstBoth = [.. TechTree.Units.Select(Best)];
    private static readonly int[] Reach = [.. TechTree.Units.Select((_, i) =>
        Math.Max(AgainstGround[i]?.Range ?? 0, AgainstAir[i]?.Range ?? 0))];

    private static readonly byte[] Ranks = [.. TechTree.Units.Select(RankOf)];

    /// <summary>A type's weapon against flying units or against units on the ground. Null if it has no such weapon.</summary>
    public static Weapon? Against(UnitType type, bool flying) => (flying ? AgainstAir : AgainstGround)[type.Index];

    /// <summary>A type's weapon against another type. A colossus counts as in the air and on the ground: every weapon hits
    /// it, and the strongest one is used (python-sc2's damagetest_bot.py).</summary>
    public static Weapon? Against(UnitType type, UnitType target) =>
        target.Id == UnitId.Colossus ? AgainstBoth[type.Index] : Against(type, target.Is(Kind.Flying));

    /// <summary>Whether a type has any weapon.</summary>
    public static bool Armed(UnitType type) =>
        AgainstGround[type.Index] is not null || AgainstAir[type.Index] is not null;

    /// <summary>The range of a type's longest weapon, between the units' edges.</summary>
    public static int RangeOf(UnitType type) => Reach[type.Index];

    /// <summary>A type's priority as a target: 2 for fighters, 1 for other types, 0 for types that are attacked on command only.</summary>
    public static int RankFor(UnitType type) => Ranks[type.Index];

    private static byte RankOf(UnitType type) => (byte)(type.Priority
        ?? (type.Health == 0 ? 0 : Armed(type) || type.Is(Kind.Army) ? 2 : 1));

    private static Weapon? Find(UnitType type, Target other) => Of(type).FirstOrDefault(w => w.Target != other);

    private static Weapon? Best(UnitType type) => Of(type).MaxBy(w => w.Attacks
        * (w.Damage + w.Bonuses.Sum(b => TechTree.Unit(UnitId.Colossus).Is(b.Attribute) ? b.Bonus : 0)));

    private static Weapon[] Of(UnitType type) =>
        type.HiddenWeapons.Length > 0 ? type.HiddenWeapons : type.Weapons;
}
