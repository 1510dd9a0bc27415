using System.Text.RegularExpressions;
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

    /// <summary>Cloaked by itself.</summary>
    Cloaked = 1 << 12,

    /// <summary>Gets stronger with the weapons and armour of Terran infantry.</summary>
    Infantry = 1 << 13,

    /// <summary>Gets stronger with the melee weapons of Zerg.</summary>
    Melee = 1 << 14,

    /// <summary>The button of all army leaves it out.</summary>
    NoArmyButton = 1 << 15,

    /// <summary>A player who has nothing else has lost.</summary>
    KeepsNobodyIn = 1 << 16,

    /// <summary>What it hits around its target may be its own.</summary>
    HitsFriends = 1 << 17,

    /// <summary>Dies of its own attack.</summary>
    Explodes = 1 << 18,

    /// <summary>A neural parasite does not take it.</summary>
    KeepsOwner = 1 << 19,

    /// <summary>Units walk over it: it only forbids to build there.</summary>
    WalkedOver = 1 << 20,

    /// <summary>Sits in the ground, as its name says.</summary>
    Burrowed = 1 << 21,
}

/// <summary>What a unit gives to others: shields or life, in 1/256 of a point a loop, as far as its range reaches.</summary>
internal sealed record Heal(bool Shields, int Step, int Range)
{
    /// <summary>Reads a cell; null for an empty one.</summary>
    public static Heal? Read(string[] parts) => parts is not [var what, var perSecond, var range] ? null : new Heal(
        what == "shields",
        FactTable.Row.Scale(perSecond, 256 / FactTable.LoopsPerSecond),
        FactTable.Row.Scale(range, Geometry.Cell));
}

/// <summary>
/// How creep grows round a unit: the widest radius in cells, the first radius in 1/1000 of a cell, and the 1/1000 that each update
/// of eight loops adds.
/// </summary>
internal sealed record CreepGrowth(int Radius, int First, int More)
{
    /// <summary>Reads a cell; null for an empty one.</summary>
    public static CreepGrowth? Read(string[] parts) => parts is not [var radius, var first, var seconds] ? null : new CreepGrowth(
        FactTable.Row.Scale(radius, 1),
        FactTable.Row.Scale(first, 1000),
        8 * 1000 * 1000 / FactTable.Row.Scale(seconds, 1000 * FactTable.LoopsPerSecond));
}

/// <summary>What a unit does when its time ends: radius, points, more points against shields, how far it throws.</summary>
internal sealed record Blast(int Radius, int Points, int Shields, int Throw)
{
    /// <summary>Reads a cell; null for an empty one.</summary>
    public static Blast? Read(string[] parts) => parts is not [var radius, var points, var more, var far] ? null : new Blast(
        FactTable.Row.Scale(radius, Geometry.Cell),
        FactTable.Row.Scale(points, 1),
        FactTable.Row.Scale(more, 1),
        FactTable.Row.Scale(far, Geometry.Cell));
}

/// <summary>What a unit type needs besides money.</summary>
/// <param name="What"><c>b</c>: a finished building of that type (or of one that counts as it); <c>o</c>: that kind of
/// add-on at the unit; <c>u</c>: an upgrade; <c>t</c>: to be the add-on of that type.</param>
/// <param name="Id">A unit type's or an upgrade's id.</param>
internal readonly record struct Requirement(char What, int Id);

/// <summary>An ability of a unit type, with what it requires there.</summary>
/// <param name="Ability">Which.</param>
/// <param name="Requirements">All of which must be met.</param>
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
/// <param name="Damage">A hit, in points.</param>
/// <param name="Attacks">Hits at once.</param>
/// <param name="Range">Between the edges of the two, in 1/4096 of a cell.</param>
/// <param name="Cooldown">In 1/256 of a game loop.</param>
/// <param name="PerLevel">More damage with each level of an upgrade.</param>
/// <param name="Bonuses">More damage to units of an attribute, and more of it with each level.</param>
internal sealed record Weapon(
    SC2APIProtocol.Weapon.Types.TargetType Target, int Damage, int Attacks, int Range, int Cooldown, int PerLevel,
    IReadOnlyList<(SC2APIProtocol.Attribute Attribute, int Bonus, int PerLevel)> Bonuses)
{
    /// <summary>Reads a weapon as <c>units.tsv</c> has it.</summary>
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

/// <summary>
/// The facts of a unit type, as units.tsv has them. Distances in 1/4096 of a cell, times in game loops, food in halves.
/// </summary>
/// <param name="row">Its line.</param>
/// <param name="index">Its place in <see cref="TechTree.Units"/>.</param>
internal sealed class UnitType(FactTable.Row row, int index)
{
    // Zerg on the ground, in 1/10000 of their usual speed.
    private const int UsualCreepSpeed = 13_000;

    /// <summary>Its place in <see cref="TechTree.Units"/>.</summary>
    public int Index => index;

    /// <summary>The game's id.</summary>
    public int Id { get; } = row.Int("id");

    public string Name { get; } = row.Text("name");

    /// <summary>Whose; NoRace for neutral ones.</summary>
    public Race Race { get; } = Enum.TryParse<Race>(row.Text("race"), out var race) ? race : Race.NoRace;

    /// <summary>As ResponseData has it: with what it was made of.</summary>
    public int Minerals { get; } = row.Int("minerals");

    public int Vespene { get; } = row.Int("vespene");

    public int BuildLoops { get; } = row.Int("build_loops");

    /// <summary>Supply it takes, in halves.</summary>
    public int HalfFood { get; } = row.Scaled("food_required", 2);

    public int FoodProvided { get; } = row.Int("food_provided");

    /// <summary>The ability that makes it.</summary>
    public Ability? MadeBy { get; } = row.Int("ability") is > 0 and var id ? TechTree.Ability(id) : null;

    /// <summary>A building that must be there before, 0 for none.</summary>
    public int TechRequirement { get; } = row.Int("tech_requirement");

    /// <summary>Types that it also counts as (an orbital command is a command centre).</summary>
    public int[] TechAlias { get; } = [.. row.List("tech_alias", ',').Select(a => FactTable.Row.Scale(a, 1))];

    /// <summary>The type that it is another state of, 0 for none.</summary>
    public int UnitAlias { get; } = row.Int("unit_alias");

    /// <summary>Places it takes in a transport; 0: none can carry it.</summary>
    public int CargoSize { get; } = row.Int("cargo_size");

    public int CargoSpace { get; } = row.Int("cargo_space");

    /// <summary>In points; 0 for what cannot be hurt.</summary>
    public int Health { get; } = row.Int("health");

    public int Shield { get; } = row.Int("shield");

    public int Energy { get; } = row.Int("energy");

    public int StartEnergy { get; } = row.Int("start_energy");

    public int Armor { get; } = row.Int("armor");

    public int Sight { get; } = row.Int("sight");

    /// <summary>1/4096 of a cell a game loop.</summary>
    public int Speed { get; } = row.Scaled("speed", Geometry.Cell / FactTable.LoopsPerSecond);

    /// <summary>As the observation has it.</summary>
    public int Radius { get; } = row.Scaled("radius", Geometry.Cell);

    /// <summary>How far its power field reaches; 0: it has none.</summary>
    public int PowerRadius { get; } = row.Scaled("power_radius", Geometry.Cell);

    /// <summary>How far it sees what is cloaked; 0: not.</summary>
    public int DetectionRange { get; } = row.Scaled("detection_range", Geometry.Cell);

    public SC2APIProtocol.Attribute[] Attributes { get; } =
        [.. row.List("attributes", ',').Select(Enum.Parse<SC2APIProtocol.Attribute>)];

    /// <summary>Its weapons, as ResponseData has them.</summary>
    public Weapon[] Weapons { get; } = [.. row.List("weapons", ' ').Select(Weapon.Read)];

    /// <summary>What it fights with if ResponseData leaves that out.</summary>
    public Weapon[] HiddenWeapons { get; } = [.. row.List("hidden_weapons", ' ').Select(Weapon.Read)];

    /// <summary>How far around its target it also hits.</summary>
    public int Splash { get; } = row.Scaled("splash", Geometry.Cell);

    /// <summary>How worth fighting it is, from 0 to 2; null: by its weapons.</summary>
    public int? Priority { get; } = row.Has("priority") ? row.Int("priority") : null;

    /// <summary>The creep that it spreads; null for none.</summary>
    public CreepGrowth? Creep { get; } = CreepGrowth.Read(row.List("creep", ','));

    /// <summary>How fast it is on creep, in 1/10000 of its usual speed.</summary>
    public int CreepSpeed { get; } = row.Has("creep_speed") ? row.Scaled("creep_speed", 10_000) : UsualCreepSpeed;

    /// <summary>The type's name that a unit has while it becomes this type; empty if it stays what it was.</summary>
    public string Cocoon { get; } = row.Text("cocoon");

    /// <summary>Cells along each side of the ground that a neutral or summoned type takes; 0: its building's.</summary>
    public int OwnFootprint { get; } = row.Int("footprint");

    /// <summary>Loops that a warp gate pauses after it.</summary>
    public int WarpCooldown { get; } = row.Loops("warp_cooldown_seconds");

    /// <summary>What it does when its time ends.</summary>
    public Blast? Blast { get; } = Blast.Read(row.List("blast", ','));

    /// <summary>How far it shows what moves in the fog, in cells.</summary>
    public int Radar { get; } = row.Int("radar");

    /// <summary>Life that comes back each eighth loop, in 1/256 of a point.</summary>
    public int Regeneration { get; } = row.Scaled("regeneration", 8 * 256 / FactTable.LoopsPerSecond);

    /// <summary>What it gives to others.</summary>
    public Heal? Heals { get; } = Heal.Read(row.List("heals", ','));

    public Kind Kind { get; } = KindOf(row);

    /// <summary>What it can do.</summary>
    public UnitAbility[] Abilities { get; } = [.. row.List("abilities", ' ').Select(UnitAbility.Read)];

    /// <summary>What upgrades add; filled once the upgrades are read.</summary>
    public List<StatChange> Changes { get; } = [];

    /// <summary>
    /// Cells along each side of the ground it takes; 0 for what takes none. Mineral fields are 2 by 1.
    /// </summary>
    public int Footprint { get; set; }

    /// <summary>Whether the button of all army selects it.</summary>
    public bool IsSelectedAsArmy => Is(Kind.Army) && !Is(Kind.NoArmyButton);

    /// <summary>Whether it is all of a kind.</summary>
    public bool Is(Kind kind) => (Kind & kind) != 0;

    /// <summary>Whether it has an attribute.</summary>
    public bool Is(SC2APIProtocol.Attribute attribute) => Array.IndexOf(Attributes, attribute) >= 0;

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
