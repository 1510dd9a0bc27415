using Sc2Bridge.Simulator.Facts;
using Target = SC2APIProtocol.Weapon.Types.TargetType;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// What each type fights with: the weapons of ResponseData, and those that it leaves out because they are beams,
/// launched units or explosions.
/// </summary>
internal static class Arms
{
    private static readonly Weapon?[] AgainstGround = [.. TechTree.Units.Select(u => Find(u, Target.Air))];
    private static readonly Weapon?[] AgainstAir = [.. TechTree.Units.Select(u => Find(u, Target.Ground))];
    private static readonly Weapon?[] AgainstBoth = [.. TechTree.Units.Select(Best)];
    private static readonly int[] Reach = [.. TechTree.Units.Select((_, i) =>
        Math.Max(AgainstGround[i]?.Range ?? 0, AgainstAir[i]?.Range ?? 0))];

    private static readonly byte[] Ranks = [.. TechTree.Units.Select(RankOf)];

    /// <summary>What a type fights flying units or those on the ground with; null where it has nothing.</summary>
    public static Weapon? Against(UnitType type, bool flying) => (flying ? AgainstAir : AgainstGround)[type.Index];

    /// <summary>What a type fights another with. A colossus is as high as it stands low: what shoots at either hits it,
    /// with what hurts it most (python-sc2's damagetest_bot.py).</summary>
    public static Weapon? Against(UnitType type, UnitType target) =>
        target.Id == UnitId.Colossus ? AgainstBoth[type.Index] : Against(type, target.Is(Kind.Flying));

    /// <summary>Whether a type has any weapon.</summary>
    public static bool Armed(UnitType type) =>
        AgainstGround[type.Index] is not null || AgainstAir[type.Index] is not null;

    /// <summary>How far its farthest weapon reaches, between edges.</summary>
    public static int RangeOf(UnitType type) => Reach[type.Index];

    /// <summary>How worth fighting a type is: 2 what fights, 1 the rest, 0 what is not fought unasked.</summary>
    public static int RankFor(UnitType type) => Ranks[type.Index];

    private static byte RankOf(UnitType type) => (byte)(type.Priority
        ?? (type.Health == 0 ? 0 : Armed(type) || type.Is(Kind.Army) ? 2 : 1));

    private static Weapon? Find(UnitType type, Target other) => Of(type).FirstOrDefault(w => w.Target != other);

    private static Weapon? Best(UnitType type) => Of(type).MaxBy(w => w.Attacks
        * (w.Damage + w.Bonuses.Sum(b => TechTree.Unit(UnitId.Colossus).Is(b.Attribute) ? b.Bonus : 0)));

    private static Weapon[] Of(UnitType type) =>
        type.HiddenWeapons.Length > 0 ? type.HiddenWeapons : type.Weapons;
}
