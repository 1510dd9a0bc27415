using System.Text.RegularExpressions;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Facts;

/// <summary>The properties of a type.</summary>
[Flags]
internal enum Kind
{
    /// <summary>No property.</summary>
    None = 0,

    /// <summary>A building, an add-on or a resource.</summary>
    Structure = 1,

    /// <summary>SCV, probe, drone (not the MULE).</summary>
    Worker = 2,

    /// <summary>Command center, nexus, hatchery, and their later states.</summary>
    TownHall = 4,

    /// <summary>Tech lab or reactor.</summary>
    AddOn = 8,

    /// <summary>Flies.</summary>
    Flying = 16,

    /// <summary>Can have an add-on.</summary>
    TakesAddOn = 32,

    /// <summary>Works only in a power field.</summary>
    NeedsPower = 64,

    /// <summary>Must be built on creep.</summary>
    NeedsCreep = 128,

    /// <summary>Is built on a geyser and harvested for vespene.</summary>
    Refinery = 256,

    /// <summary>A mineral field.</summary>
    Minerals = 512,

    /// <summary>A geyser.</summary>
    Geyser = 1024,

    /// <summary>Fights, and counts as army.</summary>
    Army = 2048,

    /// <summary>Cloaked by itself.</summary>
    Cloaked = 1 << 12,

    /// <summary>Uses the upgrades of Terran infantry weapons and armour.</summary>
    Infantry = 1 << 13,

    /// <summary>Uses the upgrades of Zerg melee weapons.</summary>
    Melee = 1 << 14,

    /// <summary>The button that selects the whole army leaves it out.</summary>
    NoArmyButton = 1 << 15,

    /// <summary>A player that has only such units has lost.</summary>
    KeepsNobodyIn = 1 << 16,

    /// <summary>Its splash damage also hits its owner's units.</summary>
    HitsFriends = 1 << 17,

    /// <summary>Its attack kills it.</summary>
    Explodes = 1 << 18,

    /// <summary>A neural parasite cannot control it.</summary>
    KeepsOwner = 1 << 19,

    /// <summary>Units can walk over it, but nothing can be built there.</summary>
    WalkedOver = 1 << 20,

    /// <summary>Is burrowed, as its name says.</summary>
    Burrowed = 1 << 21,
}

/// <summary>A type's healing of shields or life, in 1/256 of a point a loop, and its range.</summary>
internal sealed record Heal(bool Shields, int Step, int Range)
{
    /// <summary>Reads a cell. Null if the cell is empty.</summary>
    public static Heal? Read(string[] parts) => parts is not [var what, var perSecond, var range] ? null : new Heal(
        what == "shields",
        FactTable.Row.Scale(perSecond, 256 / FactTable.LoopsPerSecond),
        FactTable.Row.Scale(range, Geometry.Cell));
}

/// <summary>
/// How creep grows around a unit: the largest radius in cells, the first radius in 1/1000 of a cell, and the growth in each update
/// of eight loops, in 1/1000 of a cell.
/// </summary>
internal sealed record CreepGrowth(int Radius, int First, int More)
{
    /// <summary>Reads a cell. Null if the cell is empty.</summary>
    public static CreepGrowth? Read(string[] parts) => parts is not [var radius, var first, var seconds] ? null : new CreepGrowth(
        FactTable.Row.Scale(radius, 1),
        FactTable.Row.Scale(first, 1000),
        8 * 1000 * 1000 / FactTable.Row.Scale(seconds, 1000 * FactTable.LoopsPerSecond));
}

/// <summary>The explosion when a unit's timed life ends: radius, points, additional points against shields, and distance of the push.</summary>
internal sealed record Blast(int Radius, int Points, int Shields, int Throw)
{
    /// <summary>Reads a cell. Null if the cell is empty.</summary>
    public static Blast? Read(string[] parts) => parts is not [var radius, var points, var more, var far] ? null : new Blast(
        FactTable.Row.Scale(radius, Geometry.Cell),
        FactTable.Row.Scale(points, 1),
        FactTable.Row.Scale(more, 1),
        FactTable.Row.Scale(far, Geometry.Cell));
}

/// <summary>A requirement of an ability.</summary>
/// <param name="What"><c>b</c>: the player has a finished building that counts as the type; <c>o</c>: the unit has that
/// kind of add-on; <c>u</c>: the player has the upgrade; <c>t</c>: the unit is the add-on of that type.</param>
/// <param name="Id">The id of a unit type or upgrade.</param>
internal readonly record struct Requirement(char What, int Id);

/// <summary>An ability of a unit type, with its requirements.</summary>
/// <param name="Ability">The ability.</param>
/// <param name="Requirements">The requirements. All of them must be met.</param>
internal readonly record struct UnitAbility(Ability Ability, IReadOnlyList<Requirement> Requirements)
{
    /// <summary>Reads <c>ID[:requirements]</c>.</summary>
    public static UnitAbility Read(string text)
    {
        var parts = text.Split(':');
        var requirements = Regex.Matches(parts.ElementAtOrDefault(1) ?? "", "([a-z])([0-9]+)")
            .Select(r => new Requirement(r.Value[0], FactTable.Row.Scale(r.Groups[2].Value, 1)));
        return new UnitAbility(TechTree.Ability(FactTable.Row.Scale(parts[0], 1)), [.. requirements]);
    }
}

/// <summary>A weapon.</summary>
/// <param name="Target">Ground, air or both.</param>
/// <param name="Damage">The damage of a hit, in points.</param>
/// <param name="Attacks">The number of hits in one attack.</param>
/// <param name="Range">The range between the edges of both units, in 1/4096 of a cell.</param>
/// <param name="Cooldown">The time between two attacks, in 1/256 of a game loop.</param>
/// <param name="PerLevel">Additional damage for each level of an upgrade.</param>
/// <param name="Bonuses">Additional damage to units with an attribute, and its increase for each level.</param>
internal sealed record Weapon(
    SC2APIProtocol.Weapon.Types.TargetType Target, int Damage, int Attacks, int Range, int Cooldown, int PerLevel,
    IReadOnlyList<(SC2APIProtocol.Attribute Attribute, int Bonus, int PerLevel)> Bonuses)
{
    /// <summary>Reads a weapon from <c>units.tsv</c>.</summary>
    public static Weapon Read(string text)
    {
        var parts = text.Split(',');
        var target = Enum.Parse<SC2APIProtocol.Weapon.Types.TargetType>(parts[0], ignoreCase: true);
        var (damage, perLevel) = Points(parts[1].Split('+'));
        var bonuses = parts.Length < 6 ? [] : parts[5].Split('/').Select(b => b.Split('+'))
            .Select(b => (Enum.Parse<SC2APIProtocol.Attribute>(b[0]), Points(b[1..]).Points, Points(b[1..]).PerLevel));
        return new Weapon(
            target,
            damage,
            FactTable.Row.Scale(parts[2], 1),
            FactTable.Row.Scale(parts[3], Geometry.Cell),
            FactTable.Row.Scale(parts[4], FactTable.LoopsPerSecond * 256),
            perLevel,
            [.. bonuses]);

        static (int Points, int PerLevel) Points(string[] text)
        {
            var points = FactTable.Row.Scale(text[0], 1);
            return (points, text.Length > 1 ? FactTable.Row.Scale(text[1], 1) : Math.Max(1, (points + 5) / 10));
        }
    }
}

/// <summary>The facts of a unit type, from units.tsv. Distances are in 1/4096 of a cell, times in game loops, supply in halves.</summary>
/// <param name="row">The line of the table.</param>
/// <param name="index">Its index in <see cref="TechTree.Units"/>.</param>
internal sealed class UnitType(FactTable.Row row, int index)
{
    // The speed of Zerg ground units on creep, in 1/10000 of their usual speed.
    private const int UsualCreepSpeed = 13_000;

    /// <summary>Its index in <see cref="TechTree.Units"/>.</summary>
    public int Index => index;

    /// <summary>The game's id.</summary>
    public int Id { get; } = row.Int("id");

    public string Name { get; } = row.Text("name");

    /// <summary>Its race; NoRace for neutral types.</summary>
    public Race Race { get; } = Enum.TryParse<Race>(row.Text("race"), out var race) ? race : Race.NoRace;

    /// <summary>Its cost in ResponseData, including the cost of the unit that morphs into it.</summary>
    public int Minerals { get; } = row.Int("minerals");

    public int Vespene { get; } = row.Int("vespene");

    public int BuildLoops { get; } = row.Int("build_loops");

    /// <summary>The supply that it uses, in halves.</summary>
    public int HalfFood { get; } = row.Scaled("food_required", 2);

    public int FoodProvided { get; } = row.Int("food_provided");

    /// <summary>The ability that makes it.</summary>
    public Ability? MadeBy { get; } = row.Int("ability") is > 0 and var id ? TechTree.Ability(id) : null;

    /// <summary>A building that the player must have before; 0 without one.</summary>
    public int TechRequirement { get; } = row.Int("tech_requirement");

    /// <summary>Types that it also counts as (an orbital command is a command center).</summary>
    public int[] TechAlias { get; } = [.. row.List("tech_alias", ',').Select(a => FactTable.Row.Scale(a, 1))];

    /// <summary>The type that has it as another state; 0 without one.</summary>
    public int UnitAlias { get; } = row.Int("unit_alias");

    /// <summary>The places that it needs in a transport; 0 if it cannot be transported.</summary>
    public int CargoSize { get; } = row.Int("cargo_size");

    public int CargoSpace { get; } = row.Int("cargo_space");

    /// <summary>The maximum life in points; 0 if it cannot be damaged.</summary>
    public int Health { get; } = row.Int("health");

    public int Shield { get; } = row.Int("shield");

    public int Energy { get; } = row.Int("energy");

    public int StartEnergy { get; } = row.Int("start_energy");

    public int Armor { get; } = row.Int("armor");

    public int Sight { get; } = row.Int("sight");

    /// <summary>The speed in 1/4096 of a cell a game loop.</summary>
    public int Speed { get; } = row.Scaled("speed", Geometry.Cell / FactTable.LoopsPerSecond);

    /// <summary>The radius in observations.</summary>
    public int Radius { get; } = row.Scaled("radius", Geometry.Cell);

    /// <summary>The radius of its power field; 0 without one.</summary>
    public int PowerRadius { get; } = row.Scaled("power_radius", Geometry.Cell);

    /// <summary>The range within which it detects cloaked units; 0 if it is no detector.</summary>
    public int DetectionRange { get; } = row.Scaled("detection_range", Geometry.Cell);

    public SC2APIProtocol.Attribute[] Attributes { get; } =
        [.. row.List("attributes", ',').Select(Enum.Parse<SC2APIProtocol.Attribute>)];

    /// <summary>Its weapons in ResponseData.</summary>
    public Weapon[] Weapons { get; } = [.. row.List("weapons", ' ').Select(Weapon.Read)];

    /// <summary>Its weapons if ResponseData leaves them out.</summary>
    public Weapon[] HiddenWeapons { get; } = [.. row.List("hidden_weapons", ' ').Select(Weapon.Read)];

    /// <summary>The radius of its splash damage.</summary>
    public int Splash { get; } = row.Scaled("splash", Geometry.Cell);

    /// <summary>Its priority as a target, from 0 to 2; null if its weapons determine it.</summary>
    public int? Priority { get; } = row.Has("priority") ? row.Int("priority") : null;

    /// <summary>The creep that it spreads, or null.</summary>
    public CreepGrowth? Creep { get; } = CreepGrowth.Read(row.List("creep", ','));

    /// <summary>Its speed on creep, in 1/10000 of its usual speed.</summary>
    public int CreepSpeed { get; } = row.Has("creep_speed") ? row.Scaled("creep_speed", 10_000) : UsualCreepSpeed;

    /// <summary>The name of the type that a unit has during the morph into this type. Empty if it keeps its old type.</summary>
    public string Cocoon { get; } = row.Text("cocoon");

    /// <summary>The length of its footprint's sides in cells, for neutral and summoned types; 0 if the ability that builds it has it.</summary>
    public int OwnFootprint { get; } = row.Int("footprint");

    /// <summary>The cooldown of a warp gate after it, in loops.</summary>
    public int WarpCooldown { get; } = row.Loops("warp_cooldown_seconds");

    /// <summary>The explosion when its timed life ends.</summary>
    public Blast? Blast { get; } = Blast.Read(row.List("blast", ','));

    /// <summary>The radius within which it detects moving units in the fog, in cells.</summary>
    public int Radar { get; } = row.Int("radar");

    /// <summary>The life that it regenerates every eighth loop, in 1/256 of a point.</summary>
    public int Regeneration { get; } = row.Scaled("regeneration", 8 * 256 / FactTable.LoopsPerSecond);

    /// <summary>Its healing of other units.</summary>
    public Heal? Heals { get; } = Heal.Read(row.List("heals", ','));

    public Kind Kind { get; } = KindOf(row);

    /// <summary>Its abilities.</summary>
    public UnitAbility[] Abilities { get; } = [.. row.List("abilities", ' ').Select(UnitAbility.Read)];

    /// <summary>The changes by upgrades. Filled after the upgrades are read.</summary>
    public List<StatChange> Changes { get; } = [];

    /// <summary>The length of its footprint's sides in cells; 0 if it has none. Mineral fields are 2 by 1.</summary>
    public int Footprint { get; set; }

    /// <summary>Whether the button that selects the whole army selects it.</summary>
    public bool IsSelectedAsArmy => Is(Kind.Army) && !Is(Kind.NoArmyButton);

    /// <summary>Whether it has any of the properties.</summary>
    public bool Is(Kind kind) => (Kind & kind) != 0;

    /// <summary>Whether it has an attribute.</summary>
    public bool Is(SC2APIProtocol.Attribute attribute) => Array.IndexOf(Attributes, attribute) >= 0;

    /// <summary>Its ability with an id and its requirements; null if it does not have the ability.</summary>
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

    /// <summary>Whether it counts as a type: it is the type, is a state of it, or has it as a tech alias.</summary>
    public bool CountsAs(int id) => Id == id || UnitAlias == id || Array.IndexOf(TechAlias, id) >= 0;

    private static Kind KindOf(FactTable.Row row)
    {
        var kind = row.Has("flags") ? Enum.Parse<Kind>(row.Text("flags")) : Kind.None;
        var contents = row.Text("contents");
        kind |= contents == "minerals" ? Kind.Minerals | Kind.Structure : Kind.None;
        kind |= contents == "vespene" && (kind & Kind.Refinery) == 0 ? Kind.Geyser | Kind.Structure : Kind.None;
        kind |= row.Text("name").Contains("Burrowed", StringComparison.Ordinal) ? Kind.Burrowed : Kind.None;
        var fights = row.Has("weapons") || (row.Int("energy") > 0 && row.Has("race"));
        var army = (kind & (Kind.Structure | Kind.Worker)) == 0 && fights && row.Scaled("food_required", 2) > 0;
        return army ? kind | Kind.Army : kind;
    }
}
