using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>What a kind of unit is, as far as the simulated world asks.</summary>
[Flags]
internal enum Kind
{
    /// <summary>An army unit on the ground.</summary>
    None = 0,

    /// <summary>A building.</summary>
    Structure = 1,

    /// <summary>Flies: no pathing, hit by weapons against air.</summary>
    Flying = 2,

    /// <summary>Mines and builds.</summary>
    Worker = 4,

    /// <summary>Where workers return what they mined.</summary>
    TownHall = 8,

    /// <summary>A building on a geyser.</summary>
    Gas = 16,

    /// <summary>An add-on of a Terran building.</summary>
    AddOn = 32,

    /// <summary>Minerals, a geyser or debris: nobody's.</summary>
    Neutral = 64,
}

/// <summary>A weapon.</summary>
/// <param name="Target">What it hits.</param>
/// <param name="Damage">Damage a hit, before armour.</param>
/// <param name="Attacks">Hits a volley.</param>
/// <param name="Range">In cells, between the edges of the two units.</param>
/// <param name="Cooldown">Game loops from volley to volley.</param>
internal sealed record WeaponFacts(Weapon.Types.TargetType Target, int Damage, int Attacks, double Range, int Cooldown);

/// <summary>The facts of one unit type.</summary>
/// <param name="Id">The game's unit type id.</param>
/// <param name="Name">The game's name of it.</param>
/// <param name="Race">Whose it is.</param>
/// <param name="Minerals">Cost, as the game's data give it (a morph's includes what it morphs from).</param>
/// <param name="Vespene">Cost in gas.</param>
/// <param name="HalfFood">Supply used, in halves (a Zergling uses one half).</param>
/// <param name="FoodProvided">Supply provided.</param>
/// <param name="Ability">The ability that makes it.</param>
/// <param name="BuildLoops">Game loops to make it.</param>
/// <param name="Sight">Sight range in cells.</param>
/// <param name="Speed">Distance a game loop, in 1/4096 of a cell.</param>
/// <param name="Armor">Taken off each hit.</param>
/// <param name="Health">Full health.</param>
/// <param name="Shield">Full shields.</param>
/// <param name="Energy">Full energy.</param>
/// <param name="StartEnergy">Energy when made.</param>
/// <param name="Radius">In 1/4096 of a cell.</param>
/// <param name="Kind">What it is.</param>
/// <param name="Attributes">The game's attribute numbers.</param>
/// <param name="Weapons">Its weapons.</param>
internal sealed record UnitFacts(
    int Id, string Name, Race Race, int Minerals, int Vespene, int HalfFood, int FoodProvided, int Ability,
    int BuildLoops, int Sight, int Speed, int Armor, int Health, int Shield, int Energy, int StartEnergy, int Radius,
    Kind Kind, int[] Attributes, WeaponFacts[] Weapons)
{
    /// <summary>Its place in <see cref="UnitTable.All"/>.</summary>
    public int Index { get; internal set; }

    /// <summary>The weapon against units on the ground.</summary>
    public WeaponFacts? GroundWeapon { get; } = Array.Find(Weapons, w => w.Target != Weapon.Types.TargetType.Air);

    /// <summary>The weapon against flying units.</summary>
    public WeaponFacts? AirWeapon { get; } = Array.Find(Weapons, w => w.Target != Weapon.Types.TargetType.Ground);

    /// <summary>Whether it is of the kind asked for.</summary>
    /// <param name="kind">One or more kinds, any of which will do.</param>
    public bool Is(Kind kind) => (Kind & kind) != 0;

    /// <summary>Whether it belongs to an army: moves, and is no worker.</summary>
    public bool IsArmy => Weapons.Length > 0 && !Is(Kind.Structure | Kind.Worker | Kind.Neutral);
}
