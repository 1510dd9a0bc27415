using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Facts;

/// <summary>The product of an ability.</summary>
internal enum Makes
{
    /// <summary>Nothing.</summary>
    Nothing,

    /// <summary>A unit, inside its maker.</summary>
    Train,

    /// <summary>A unit, at a point in a power field.</summary>
    Warp,

    /// <summary>A building, by a worker.</summary>
    Build,

    /// <summary>A tech lab or reactor.</summary>
    AddOn,

    /// <summary>The unit itself changes its type.</summary>
    Morph,

    /// <summary>A flying building lands.</summary>
    Land,

    /// <summary>An upgrade.</summary>
    Research,
}

/// <summary>The facts of an ability, from abilities.tsv.</summary>
/// <param name="row">The line of the table.</param>
/// <param name="place">Its index in <see cref="TechTree.Abilities"/>.</param>
internal sealed class Ability(FactTable.Row row, int place)
{
    /// <summary>Its index in <see cref="TechTree.Abilities"/>.</summary>
    public int Place => place;

    /// <summary>The game's id.</summary>
    public int Id { get; } = row.Int("id");

    /// <summary>The link's name in ResponseData.</summary>
    public string Link { get; } = row.Text("link");

    /// <summary>Its index within the link.</summary>
    public int Index { get; } = row.Int("index");

    /// <summary>The friendly name in ResponseData; may be empty.</summary>
    public string Friendly { get; } = row.Text("friendly");

    /// <summary>The general ability that stands for it; 0 without one.</summary>
    public int RemapsTo { get; } = row.Int("remaps_to");

    /// <summary>Its ids in earlier builds of the game.</summary>
    public IReadOnlyList<int> Formerly { get; } = row.Numbers("formerly");

    /// <summary>The kind of target: none, a point, a unit …</summary>
    public AbilityData.Types.Target? Target { get; } =
        Enum.TryParse<AbilityData.Types.Target>(row.Text("target"), out var target) ? target : null;

    /// <summary>Whether it has autocast.</summary>
    public bool Autocast { get; } = row.Yes("autocast");

    /// <summary>Half the side of the ground that it needs, in cells, as in ResponseData; 0 if it needs none.</summary>
    public float FootprintRadius { get; } = row.Float("footprint");

    /// <summary>The range in cells.</summary>
    public float CastRange { get; } = row.Float("cast_range");

    /// <summary>The kind of its product.</summary>
    public Makes Makes { get; } =
        row.Has("makes") ? Enum.Parse<Makes>(row.List("makes", ':')[0], ignoreCase: true) : Makes.Nothing;

    /// <summary>The id of its product: a unit type or an upgrade, by <see cref="Makes"/>.</summary>
    public int Product { get; } = row.Has("makes") ? FactTable.Row.Scale(row.List("makes", ':')[1], 1) : 0;

    /// <summary>The energy that it costs.</summary>
    public int Energy { get; } = row.Int("energy");

    /// <summary>Game loops until it can be used again.</summary>
    public int Cooldown { get; } = row.Loops("cooldown");
}

/// <summary>An upgrade that can be researched.</summary>
/// <param name="Id">The game's id.</param>
/// <param name="Name">The game's name.</param>
/// <param name="Minerals">The cost in minerals.</param>
/// <param name="Vespene">The cost in vespene.</param>
/// <param name="Loops">The duration in loops.</param>
/// <param name="Ability">The ability that researches it.</param>
internal sealed record UpgradeType(int Id, string Name, int Minerals, int Vespene, int Loops, Ability Ability);

/// <summary>The facts of a buff, from buffs.tsv.</summary>
/// <param name="row">The line of the table.</param>
internal sealed class BuffType(FactTable.Row row)
{
    /// <summary>The game's id.</summary>
    public int Id { get; } = row.Int("id");

    /// <summary>The game's name.</summary>
    public string Name { get; } = row.Text("name");

    /// <summary>The unit's speed, in percent of the usual speed.</summary>
    public int Speed { get; } = row.Has("speed") ? row.Int("speed") : 100;

    /// <summary>The rate of the unit's weapon, in percent of the usual rate.</summary>
    public int WeaponSpeed { get; } = row.Has("weapon_speed") ? row.Int("weapon_speed") : 100;

    /// <summary>Additional armour, also for shields.</summary>
    public int Armor { get; } = row.Int("armor");

    /// <summary>Additional armour against weapons with a range of more than one cell.</summary>
    public int RangedArmor { get; } = row.Int("ranged_armor");

    /// <summary>Additional damage against armoured units.</summary>
    public int ArmoredDamage { get; } = row.Int("armored_damage");

    /// <summary>The energy that it costs in each loop, in 1/256 of a point.</summary>
    public int Energy { get; } = row.Scaled("energy_per_second", 256 / FactTable.LoopsPerSecond);

    /// <summary>The life that it restores in each loop, in 1/256 of a point.</summary>
    public int Life { get; } = row.Scaled("life_per_second", 256 / FactTable.LoopsPerSecond);

    /// <summary>Whether it stuns the unit.</summary>
    public bool Stuns { get; } = row.Yes("stuns");
}

/// <summary>An effect on the ground.</summary>
/// <param name="Id">The game's id.</param>
/// <param name="Name">The game's name.</param>
/// <param name="Friendly">The game's friendly name.</param>
/// <param name="Radius">The radius in cells.</param>
internal sealed record EffectType(int Id, string Name, string Friendly, float Radius);
