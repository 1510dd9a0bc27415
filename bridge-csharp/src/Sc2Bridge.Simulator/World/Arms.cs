using Sc2Bridge.Simulator.Facts;
using Target = SC2APIProtocol.Weapon.Types.TargetType;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// What each type fights with: the weapons of ResponseData, and those that it leaves out because they are beams,
/// launched units or explosions.
/// </summary>
internal static class Arms
{
    private const int Colossus = 4;

    // Beams, interceptors, explosions, from the game's own texts, as units.tsv has weapons.
    private static readonly Dictionary<int, Weapon[]> Hidden = new()
    {
        [80] = [TechTree.ReadWeapon("any,6,1,6,0.359375,Armored+4+0")], // void ray
        [77] = [TechTree.ReadWeapon("any,6,1,5,0.71484375")], // sentry
        [57] = [TechTree.ReadWeapon("ground,8,1,6,0.16015625"), TechTree.ReadWeapon("air,5,1,6,0.16015625")],
        [79] = [TechTree.ReadWeapon("any,5,16,8,3")], // carrier, eight interceptors
        [9] = [TechTree.ReadWeapon("ground,16,1,0.25,1,Light+19")], // baneling
        [500] = [TechTree.ReadWeapon("any,125,1,5,40")], // widow mine
        [495] = [TechTree.ReadWeapon("ground,15+0,1,4,0.61328125,Light+7+0")], // oracle's pulsar beam
    };

    // How far around its target a weapon hits too, in 1/4096 of a cell. The shapes of the game that are no discs (a
    // hellion's line, a colossus' bar, an ultralisk's arc) are taken for discs of about their size.
    private static readonly Dictionary<int, int> SplashRadius = new()
    {
        [32] = 5120,  // siege tank
        [130] = 5120, // planetary fortress
        [52] = 2048,  // Thor
        [53] = 5120,  // hellion
        [484] = 6144, // hellbat
        [4] = 5734,   // colossus
        [141] = 4096, // archon
        [109] = 6144, // ultralisk
        [9] = 9011,   // baneling
        [503] = 4096, // lurker
        [500] = 7168, // widow mine
    };

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
        target.Id == Colossus ? AgainstBoth[type.Index] : Against(type, target.Is(Kind.Flying));

    /// <summary>Whether a type has any weapon.</summary>
    public static bool Armed(UnitType type) =>
        AgainstGround[type.Index] is not null || AgainstAir[type.Index] is not null;

    /// <summary>How far its farthest weapon reaches, between edges.</summary>
    public static int RangeOf(UnitType type) => Reach[type.Index];

    /// <summary>How far around its target a type hits; 0 for most.</summary>
    public static int SplashOf(UnitType type) => SplashRadius.GetValueOrDefault(type.Id);

    /// <summary>Whether what it hits around its target may be its own.</summary>
    public static bool HitsFriends(UnitType type) => type.Id == 32;

    /// <summary>Whether it dies of its own attack.</summary>
    public static bool Explodes(UnitType type) => type.Id == 9;

    /// <summary>How worth fighting a type is: 2 what fights, 1 the rest, 0 what is not fought unasked.</summary>
    public static int RankFor(UnitType type) => Ranks[type.Index];

    private static byte RankOf(UnitType type) => type.Id switch
    {
        151 or 103 or 12 or 13 or 14 or 15 or 16 or 17 => 0, // larvae, eggs, changelings
        24 => 2, // a bunker's men fight
        _ when type.Health == 0 => 0,
        _ => (byte)(Armed(type) || type.Is(Kind.Army) ? 2 : 1),
    };

    private static Weapon? Find(UnitType type, Target other) => Of(type).FirstOrDefault(w => w.Target != other);

    private static Weapon? Best(UnitType type) => Of(type).MaxBy(w => w.Attacks
        * (w.Damage + w.Bonuses.Sum(b => TechTree.Unit(Colossus).Is(b.Attribute) ? b.Bonus : 0)));

    private static IReadOnlyList<Weapon> Of(UnitType type) => Hidden.GetValueOrDefault(type.Id) ?? type.Weapons;
}
