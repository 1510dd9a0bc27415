using System.Text.RegularExpressions;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Facts;

/// <summary>
/// The game's unit types, abilities, upgrades, effects and buffs, read once from the tables beside this file.
/// </summary>
internal static class TechTree
{
    private static readonly Dictionary<int, Ability> AbilityById;
    private static readonly Dictionary<int, UnitType> UnitById;
    private static readonly Dictionary<int, UpgradeType> UpgradeById;
    private static readonly Dictionary<int, UpgradeType> UpgradeByAbility;

    static TechTree()
    {
        Abilities = [.. FactTable.Read("abilities").Rows.Select(ReadAbility)];
        AbilityById = Abilities.ToDictionary(a => a.Id);
        foreach (var ability in Abilities)
        {
            foreach (var id in ability.Formerly)
            {
                AbilityById.TryAdd(id, ability);
            }
        }

        var rows = FactTable.Read("units").Rows.ToArray();
        Units = [.. rows.Select(ReadUnit)];
        UnitById = Units.ToDictionary(u => u.Id);
        for (var i = 0; i < rows.Length; i++)
        {
            Units[i].MadeBy = rows[i].Int("ability") is > 0 and var id ? AbilityById[id] : null;
            Units[i].Abilities = [.. rows[i].List("abilities", ' ').Select(ReadUnitAbility)];
        }

        foreach (var unit in Units)
        {
            unit.Footprint = FootprintOf(unit);
        }

        Upgrades = [.. FactTable.Read("upgrades").Rows.Select(ReadUpgrade)];
        UpgradeById = Upgrades.ToDictionary(u => u.Id);
        UpgradeByAbility = Upgrades.ToDictionary(u => u.Ability.Id);
        Effects = [.. FactTable.Read("effects").Rows.Select(r =>
            new EffectType(r.Int("id"), r.Text("name"), r.Text("friendly"), r.Float("radius")))];
        Buffs = [.. FactTable.Read("buffs").Rows.Select(r => (r.Int("id"), r.Text("name")))];
    }

    /// <summary>Every unit type, in the order of ids.</summary>
    public static UnitType[] Units { get; }

    /// <summary>Every ability, in the order of ids.</summary>
    public static Ability[] Abilities { get; }

    /// <summary>Every upgrade, in the order of ids.</summary>
    public static UpgradeType[] Upgrades { get; }

    /// <summary>Every effect.</summary>
    public static EffectType[] Effects { get; }

    /// <summary>Every buff.</summary>
    public static (int Id, string Name)[] Buffs { get; }

    /// <summary>A unit type that is known to be there.</summary>
    public static UnitType Unit(int id) => UnitById[id];

    /// <summary>A unit type, or null.</summary>
    public static UnitType? FindUnit(int id) => UnitById.GetValueOrDefault(id);

    /// <summary>An ability that is known to be there.</summary>
    public static Ability Ability(int id) => AbilityById[id];

    /// <summary>An ability by its id, or by one that it had in an earlier build; or null.</summary>
    public static Ability? FindAbility(int id) => AbilityById.GetValueOrDefault(id);

    /// <summary>An upgrade, or null.</summary>
    public static UpgradeType? FindUpgrade(int id) => UpgradeById.GetValueOrDefault(id);

    /// <summary>The upgrade that an ability researches, or null.</summary>
    public static UpgradeType? UpgradeOf(Ability ability) => UpgradeByAbility.GetValueOrDefault(ability.Id);

    private static UpgradeType ReadUpgrade(FactTable.Row row) => new(
        row.Int("id"),
        row.Text("name"),
        row.Int("minerals"),
        row.Int("vespene"),
        row.Int("research_loops"),
        AbilityById[row.Int("ability")]);

    private static Ability ReadAbility(FactTable.Row row)
    {
        var makes = row.Text("makes").Split(':');
        return new Ability
        {
            Id = row.Int("id"),
            Link = row.Text("link"),
            Index = row.Int("index"),
            Friendly = row.Text("friendly"),
            RemapsTo = row.Int("remaps_to"),
            Formerly = row.Numbers("formerly"),
            Target = Enum.TryParse<AbilityData.Types.Target>(row.Text("target"), out var target) ? target : null,
            Autocast = row.Yes("autocast"),
            FootprintRadius = row.Float("footprint"),
            CastRange = row.Float("cast_range"),
            Makes = makes.Length > 1 ? Enum.Parse<Makes>(makes[0], ignoreCase: true) : Makes.Nothing,
            Product = makes.Length > 1 ? FactTable.Row.Scale(makes[1], 1) : 0,
            Energy = row.Int("energy"),

            // sc2-techtree's are seconds at normal speed.
            Cooldown = row.Scaled("cooldown", 16),
        };
    }

    private static UnitType ReadUnit(FactTable.Row row, int index)
    {
        var id = row.Int("id");
        var weapons = row.List("weapons", ' ').Select(ReadWeapon).ToArray();
        return new UnitType
        {
            Index = index,
            Id = id,
            Name = row.Text("name"),
            Race = Enum.TryParse<Race>(row.Text("race"), out var race) ? race : Race.NoRace,
            Minerals = row.Int("minerals"),
            Vespene = row.Int("vespene"),
            BuildLoops = row.Int("build_loops"),
            HalfFood = row.Scaled("food_required", 2),
            FoodProvided = row.Int("food_provided"),
            TechRequirement = row.Int("tech_requirement"),
            TechAlias = [.. row.List("tech_alias", ',').Select(a => FactTable.Row.Scale(a, 1))],
            UnitAlias = row.Int("unit_alias"),
            CargoSize = row.Int("cargo_size"),
            CargoSpace = row.Int("cargo_space"),
            Health = row.Int("health"),
            Shield = row.Int("shield"),
            Energy = row.Int("energy"),
            StartEnergy = row.Int("start_energy"),
            Armor = row.Int("armor"),
            Sight = row.Int("sight"),
            Speed = row.Scaled("speed", 4096 / 16),
            Radius = row.Scaled("radius", 4096),
            PowerRadius = row.Scaled("power_radius", 4096),
            DetectionRange = row.Scaled("detection_range", 4096),
            Attributes = [.. row.List("attributes", ',').Select(Enum.Parse<SC2APIProtocol.Attribute>)],
            Weapons = weapons,
            Kind = KindOf(row, weapons.Length > 0),
        };
    }

    private static Kind KindOf(FactTable.Row row, bool armed)
    {
        var kind = row.Text("flags") is { Length: > 0 } flags ? Enum.Parse<Kind>(flags) : Kind.None;
        var contents = row.Text("contents");
        kind |= contents == "minerals" ? Kind.Minerals | Kind.Structure : Kind.None;
        kind |= contents == "vespene" && (kind & Kind.Refinery) == 0 ? Kind.Geyser | Kind.Structure : Kind.None;
        var caster = row.Int("energy") > 0 && row.Text("race").Length > 0;
        var makes = (kind & (Kind.Structure | Kind.Worker)) == 0 && (armed || caster)
            && row.Scaled("food_required", 2) > 0;
        return makes ? kind | Kind.Army : kind;
    }

    /// <summary>Reads a weapon as units.tsv has it.</summary>
    public static Weapon ReadWeapon(string text)
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
            FactTable.Row.Scale(parts[3], 4096),
            FactTable.Row.Scale(parts[4], 16 * 256),
            perLevel,
            [.. bonuses]);

        static (int Points, int PerLevel) Points(string[] text)
        {
            var points = FactTable.Row.Scale(text[0], 1);
            return (points, text.Length > 1 ? FactTable.Row.Scale(text[1], 1) : Math.Max(1, (points + 5) / 10));
        }
    }

    private static UnitAbility ReadUnitAbility(string text)
    {
        var parts = text.Split(':');
        var requirements = Regex.Matches(parts.ElementAtOrDefault(1) ?? "", "([a-z])([0-9]+)")
            .Select(r => new Requirement(r.Value[0], FactTable.Row.Scale(r.Groups[2].Value, 1)));
        return new UnitAbility(AbilityById[FactTable.Row.Scale(parts[0], 1)], [.. requirements]);
    }

    // ResponseData has the footprint with the ability that builds a type; what a type becomes keeps it.
    private static int FootprintOf(UnitType unit)
    {
        IEnumerable<UnitType?> states =
            [unit, .. unit.TechAlias.Append(unit.UnitAlias).Select(UnitById.GetValueOrDefault)];
        return !unit.Is(Kind.Structure) || unit.Is(Kind.Flying | Kind.Minerals) ? 0
            : unit.Is(Kind.Geyser | Kind.Refinery) ? 3
            : unit.Is(Kind.TownHall) ? 5
            : unit.Is(Kind.AddOn) ? 2
            : (int)(states.Select(s => s?.MadeBy?.FootprintRadius ?? 0).FirstOrDefault(radius => radius > 0) * 2);
    }
}
