using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Facts;

/// <summary>What a type is; the game's own word for each.</summary>
[Flags]
internal enum Kind
{
    /// <summary>A unit.</summary>
    None = 0,

    /// <summary>A building, an add-on or a resource.</summary>
    Structure = 1,

    /// <summary>SCV, probe, drone (not the MULE).</summary>
    Worker = 2,

    /// <summary>Command centre, nexus, hatchery and what they become.</summary>
    TownHall = 4,

    /// <summary>Tech lab or reactor.</summary>
    AddOn = 8,

    /// <summary>In the air.</summary>
    Flying = 16,

    /// <summary>Can have an add-on.</summary>
    TakesAddOn = 32,

    /// <summary>Works only in a power field.</summary>
    NeedsPower = 64,

    /// <summary>Is built on creep.</summary>
    NeedsCreep = 128,

    /// <summary>Is built on a geyser, and mined for vespene.</summary>
    Refinery = 256,

    /// <summary>A mineral field.</summary>
    Minerals = 512,

    /// <summary>A geyser.</summary>
    Geyser = 1024,

    /// <summary>Fights: counts as army.</summary>
    Army = 2048,
}

/// <summary>What a unit type needs besides money.</summary>
/// <param name="What"><c>b</c>: a finished building of that type (or of one that counts as it); <c>o</c>: that kind of
/// add-on at the unit; <c>u</c>: an upgrade; <c>t</c>: to be the add-on of that type.</param>
/// <param name="Id">A unit type's or an upgrade's id.</param>
internal readonly record struct Requirement(char What, int Id);

/// <summary>An ability of a unit type, with what it requires there.</summary>
/// <param name="Ability">Which.</param>
/// <param name="Requirements">All of which must be met.</param>
internal readonly record struct UnitAbility(Ability Ability, IReadOnlyList<Requirement> Requirements);

/// <summary>A weapon.</summary>
/// <param name="Target">Ground, air or both.</param>
/// <param name="Damage">A hit, in points.</param>
/// <param name="Attacks">Hits at once.</param>
/// <param name="Range">Between the edges of the two, in 1/4096 of a cell.</param>
/// <param name="Cooldown">In 1/256 of a game loop.</param>
/// <param name="PerLevel">More damage with each level of an upgrade.</param>
/// <param name="Bonuses">More damage to units of an attribute, and more of it with each level.</param>
internal sealed record Weapon(
    SC2APIProtocol.Weapon.Types.TargetType Target, int Damage, int Attacks, int Range, int Cooldown, int PerLevel,
    IReadOnlyList<(SC2APIProtocol.Attribute Attribute, int Bonus, int PerLevel)> Bonuses);

/// <summary>The facts of a unit type. Distances in 1/4096 of a cell, times in game loops, food in halves.</summary>
internal sealed record UnitType
{
    /// <summary>Its place in <see cref="TechTree.Units"/>.</summary>
    public required int Index { get; init; }

    /// <summary>The game's id.</summary>
    public required int Id { get; init; }

    /// <summary>The game's name.</summary>
    public required string Name { get; init; }

    /// <summary>Whose; NoRace for neutral ones.</summary>
    public required Race Race { get; init; }

    /// <summary>As ResponseData has it: with what it was made of.</summary>
    public int Minerals { get; init; }

    /// <summary>As ResponseData has it.</summary>
    public int Vespene { get; init; }

    /// <summary>How long it takes to make.</summary>
    public int BuildLoops { get; init; }

    /// <summary>Supply it takes, in halves.</summary>
    public int HalfFood { get; init; }

    /// <summary>Supply it gives.</summary>
    public int FoodProvided { get; init; }

    /// <summary>The ability that makes it; null where nothing does.</summary>
    public Ability? MadeBy { get; set; }

    /// <summary>The building it requires, 0 for none.</summary>
    public int TechRequirement { get; init; }

    /// <summary>Types that it also counts as (an orbital command is a command centre).</summary>
    public IReadOnlyList<int> TechAlias { get; init; } = [];

    /// <summary>The type that it is another state of, 0 for none.</summary>
    public int UnitAlias { get; init; }

    /// <summary>Places it takes in a transport; 0: none can carry it.</summary>
    public int CargoSize { get; init; }

    /// <summary>Places it has for others.</summary>
    public int CargoSpace { get; init; }

    /// <summary>In points; 0 for what cannot be hurt.</summary>
    public int Health { get; init; }

    /// <summary>In points.</summary>
    public int Shield { get; init; }

    /// <summary>The most it can have.</summary>
    public int Energy { get; init; }

    /// <summary>What it has when it is made.</summary>
    public int StartEnergy { get; init; }

    /// <summary>Points off every hit.</summary>
    public int Armor { get; init; }

    /// <summary>In cells.</summary>
    public int Sight { get; init; }

    /// <summary>1/4096 of a cell a game loop.</summary>
    public int Speed { get; init; }

    /// <summary>As the observation has it.</summary>
    public int Radius { get; init; }

    /// <summary>How far its power field reaches; 0: it has none.</summary>
    public int PowerRadius { get; init; }

    /// <summary>How far it sees what is cloaked; 0: not.</summary>
    public int DetectionRange { get; init; }

    /// <summary>Light, armoured …</summary>
    public IReadOnlyList<SC2APIProtocol.Attribute> Attributes { get; init; } = [];

    /// <summary>Its weapons.</summary>
    public IReadOnlyList<Weapon> Weapons { get; init; } = [];

    /// <summary>What it is.</summary>
    public Kind Kind { get; init; }

    /// <summary>What it can do; filled once the abilities are read.</summary>
    public IReadOnlyList<UnitAbility> Abilities { get; set; } = [];

    /// <summary>
    /// Cells along each side of the ground it takes; 0 for what takes none. Mineral fields are 2 by 1.
    /// </summary>
    public int Footprint { get; set; }

    /// <summary>Whether the button of all army selects it, which leaves queens out (UnitData's ArmySelect).</summary>
    public bool IsSelectedAsArmy => Is(Kind.Army) && Id is not (UnitId.Queen or UnitId.QueenBurrowed);

    /// <summary>Whether it is all of a kind.</summary>
    public bool Is(Kind kind) => (Kind & kind) != 0;

    /// <summary>Whether it has an attribute.</summary>
    public bool Is(SC2APIProtocol.Attribute attribute)
    {
        for (var i = 0; i < Attributes.Count; i++)
        {
            if (Attributes[i] == attribute)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Its ability of an id, with what it requires; null where it has none.</summary>
    public UnitAbility? AbilityOf(int id)
    {
        foreach (var own in Abilities)
        {
            if (own.Ability.Id == id)
            {
                return own;
            }
        }

        return null;
    }

    /// <summary>Whether it counts as a type: is it, is a state of it, or has it as a tech alias.</summary>
    public bool CountsAs(int id) => Id == id || UnitAlias == id || TechAlias.Contains(id);
}
