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

    /// <summary>An ability, or null.</summary>
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
            Button = row.Text("button"),
            Friendly = row.Text("friendly"),
            Hotkey = row.Text("hotkey"),
            RemapsTo = row.Int("remaps_to"),
            Target = Enum.TryParse<AbilityData.Types.Target>(row.Text("target"), out var target) ? target : null,
            Minimap = row.Yes("minimap"),
            Autocast = row.Yes("autocast"),
            Building = row.Yes("building"),
            FootprintRadius = row.Float("footprint"),
            InstantPlacement = row.Yes("instant_placement"),
            CastRange = row.Float("cast_range"),
            Available = row.Text("available") != "no",
            Makes = makes[0] switch
            {
                "train" => Makes.Train,
                "warp" => Makes.Warp,
                "build" => Makes.Build,
                "addon" => Makes.AddOn,
                "morph" => Makes.Morph,
                "land" => Makes.Land,
                "research" => Makes.Research,
                _ => Makes.Nothing,
            },
            Product = makes.Length > 1 ? int.Parse(makes[1], System.Globalization.CultureInfo.InvariantCulture) : 0,
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
            BuildTime = row.Float("build_loops"),
            HalfFood = row.Scaled("food_required", 2),
            FoodProvided = row.Int("food_provided"),
            TechRequirement = row.Int("tech_requirement"),
            RequiresAttached = row.Text("attached").Length > 0,
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
            SightRange = row.Float("sight"),
            Speed = row.Scaled("speed", 4096 / 16),
            Radius = row.Scaled("radius", 4096),
            PowerRadius = row.Scaled("power_radius", 4096),
            DetectionRange = row.Scaled("detection_range", 4096),
            Attributes = [.. row.List("attributes", ',').Select(Enum.Parse<SC2APIProtocol.Attribute>)],
            Weapons = weapons,
            Kind = KindOf(row, weapons.Length > 0),
            Available = row.Text("available") != "no",
        };
    }

    private static Kind KindOf(FactTable.Row row, bool armed)
    {
        var kind = Kind.None;
        foreach (var flag in row.List("flags", ','))
        {
            kind |= flag switch
            {
                "structure" => Kind.Structure,
                "worker" => Kind.Worker,
                "townhall" => Kind.TownHall,
                "addon" => Kind.AddOn,
                "flying" => Kind.Flying,
                "accepts-addon" => Kind.TakesAddOn,
                "needs-power" => Kind.NeedsPower,
                "needs-creep" => Kind.NeedsCreep,
                "needs-geyser" => Kind.Refinery,
                "army" => Kind.Army,
                _ => throw new InvalidOperationException($"units: no flag '{flag}' is known."),
            };
        }

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
        var target = parts[0] switch
        {
            "ground" => SC2APIProtocol.Weapon.Types.TargetType.Ground,
            "air" => SC2APIProtocol.Weapon.Types.TargetType.Air,
            _ => SC2APIProtocol.Weapon.Types.TargetType.Any,
        };
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
        var requirements = new List<Requirement>();
        for (var at = 0; parts.Length > 1 && at < parts[1].Length;)
        {
            var end = at + 1;
            while (end < parts[1].Length && char.IsAsciiDigit(parts[1][end]))
            {
                end++;
            }

            requirements.Add(new Requirement(parts[1][at], FactTable.Row.Scale(parts[1][(at + 1)..end], 1)));
            at = end;
        }

        return new UnitAbility(AbilityById[FactTable.Row.Scale(parts[0], 1)], requirements);
    }

    // ResponseData has the footprint with the ability that builds a type; what a type becomes keeps it.
    private static int FootprintOf(UnitType unit)
    {
        if (!unit.Is(Kind.Structure) || unit.Is(Kind.Flying) || unit.Is(Kind.Minerals))
        {
            return 0;
        }

        if (unit.Is(Kind.Geyser) || unit.Is(Kind.Refinery))
        {
            return 3;
        }

        if (unit.Is(Kind.TownHall))
        {
            return 5;
        }

        if (unit.Is(Kind.AddOn))
        {
            return 2;
        }

        IEnumerable<UnitType?> states =
            [unit, .. unit.TechAlias.Append(unit.UnitAlias).Select(UnitById.GetValueOrDefault)];
        var footprint = states.Select(s => s?.MadeBy?.FootprintRadius ?? 0).FirstOrDefault(radius => radius > 0);
        return (int)(footprint * 2);
    }
}
