using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Facts;

/// <summary>What an ability makes.</summary>
internal enum Makes
{
    /// <summary>Nothing.</summary>
    Nothing,

    /// <summary>A unit, in the maker.</summary>
    Train,

    /// <summary>A unit, at a place in a power field.</summary>
    Warp,

    /// <summary>A building, by a worker.</summary>
    Build,

    /// <summary>A tech lab or reactor.</summary>
    AddOn,

    /// <summary>The unit itself into another type.</summary>
    Morph,

    /// <summary>A flying building into a standing one.</summary>
    Land,

    /// <summary>An upgrade.</summary>
    Research,
}

/// <summary>The facts of an ability, as abilities.tsv has them.</summary>
/// <param name="row">Its line.</param>
/// <param name="place">Its place in <see cref="TechTree.Abilities"/>.</param>
internal sealed class Ability(FactTable.Row row, int place)
{
    /// <summary>Its place in <see cref="TechTree.Abilities"/>.</summary>
    public int Place => place;

    /// <summary>The game's id.</summary>
    public int Id { get; } = row.Int("id");

    /// <summary>As ResponseData names it.</summary>
    public string Link { get; } = row.Text("link");

    /// <summary>Which of the link's.</summary>
    public int Index { get; } = row.Int("index");

    /// <summary>As ResponseData has it; may be empty.</summary>
    public string Friendly { get; } = row.Text("friendly");

    /// <summary>The general ability that stands for it, 0 for none.</summary>
    public int RemapsTo { get; } = row.Int("remaps_to");

    /// <summary>The ids that earlier builds of the game had for it.</summary>
    public IReadOnlyList<int> Formerly { get; } = row.Numbers("formerly");

    /// <summary>What it is given: nothing, a point, a unit …</summary>
    public AbilityData.Types.Target? Target { get; } =
        Enum.TryParse<AbilityData.Types.Target>(row.Text("target"), out var target) ? target : null;

    /// <summary>Whether it can be left on.</summary>
    public bool Autocast { get; } = row.Yes("autocast");

    /// <summary>Half the side of the ground it needs, in cells as ResponseData has it; 0 for none.</summary>
    public float FootprintRadius { get; } = row.Float("footprint");

    /// <summary>In cells.</summary>
    public float CastRange { get; } = row.Float("cast_range");

    /// <summary>What it makes.</summary>
    public Makes Makes { get; } =
        row.Has("makes") ? Enum.Parse<Makes>(row.List("makes", ':')[0], ignoreCase: true) : Makes.Nothing;

    /// <summary>A unit type's or an upgrade's id, by <see cref="Makes"/>.</summary>
    public int Product { get; } = row.Has("makes") ? FactTable.Row.Scale(row.List("makes", ':')[1], 1) : 0;

    /// <summary>What it costs the unit.</summary>
    public int Energy { get; } = row.Int("energy");

    /// <summary>Game loops until it can be used again.</summary>
    public int Cooldown { get; } = row.Loops("cooldown");
}

/// <summary>An upgrade that can be researched.</summary>
/// <param name="Id">The game's id.</param>
/// <param name="Name">The game's name.</param>
/// <param name="Minerals">Cost.</param>
/// <param name="Vespene">Cost.</param>
/// <param name="Loops">How long it takes.</param>
/// <param name="Ability">What researches it.</param>
internal sealed record UpgradeType(int Id, string Name, int Minerals, int Vespene, int Loops, Ability Ability);

/// <summary>What works on a unit for a while, as buffs.tsv has it.</summary>
/// <param name="row">Its line.</param>
internal sealed class BuffType(FactTable.Row row)
{
    /// <summary>The game's id.</summary>
    public int Id { get; } = row.Int("id");

    /// <summary>The game's name.</summary>
    public string Name { get; } = row.Text("name");

    /// <summary>The unit's, in percent of the usual.</summary>
    public int Speed { get; } = row.Has("speed") ? row.Int("speed") : 100;

    /// <summary>The weapon's, in percent of the usual.</summary>
    public int WeaponSpeed { get; } = row.Has("weapon_speed") ? row.Int("weapon_speed") : 100;

    /// <summary>More armour, for shields too.</summary>
    public int Armor { get; } = row.Int("armor");

    /// <summary>More armour against weapons that reach farther than a cell.</summary>
    public int RangedArmor { get; } = row.Int("ranged_armor");

    /// <summary>More damage against armoured units.</summary>
    public int ArmoredDamage { get; } = row.Int("armored_damage");

    /// <summary>What it takes a loop, in 1/256 of a point.</summary>
    public int Energy { get; } = row.Scaled("energy_per_second", 256 / FactTable.LoopsPerSecond);

    /// <summary>What it gives a loop, in 1/256 of a point.</summary>
    public int Life { get; } = row.Scaled("life_per_second", 256 / FactTable.LoopsPerSecond);

    /// <summary>Whether the unit does nothing.</summary>
    public bool Stuns { get; } = row.Yes("stuns");
}

/// <summary>An effect on the ground.</summary>
/// <param name="Id">The game's id.</param>
/// <param name="Name">The game's name.</param>
/// <param name="Friendly">The game's name for people.</param>
/// <param name="Radius">In cells.</param>
internal sealed record EffectType(int Id, string Name, string Friendly, float Radius);
