using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Facts;

/// <summary>The game's unit types, abilities, upgrades, effects and buffs, read once from the tables in this folder.</summary>
internal static class TechTree
{
    private static readonly Dictionary<int, Ability> AbilityById;
    private static readonly Dictionary<int, UnitType> UnitById;
    private static readonly Dictionary<string, UnitType> UnitByName;
    private static readonly Dictionary<int, UpgradeType> UpgradeById;
    private static readonly Dictionary<int, UpgradeType> UpgradeByAbility;

    static TechTree()
    {
        Abilities = [.. FactTable.Read("abilities").Rows.Select((row, place) => new Ability(row, place))];
        AbilityById = Abilities.ToDictionary(a => a.Id);
        foreach (var ability in Abilities)
        {
            foreach (var id in ability.Formerly)
            {
                AbilityById.TryAdd(id, ability);
            }
        }

        Units = [.. FactTable.Read("units").Rows.Select((row, index) => new UnitType(row, index))];
        UnitById = Units.ToDictionary(u => u.Id);
        UnitByName = Units.ToDictionary(u => u.Name);
        foreach (var unit in Units)
        {
            unit.Footprint = FootprintOf(unit);
        }

        var upgrades = FactTable.Read("upgrades").Rows.ToArray();
        Upgrades = [.. upgrades.Select(ReadUpgrade)];
        Array.ForEach(upgrades, ReadChanges);
        UpgradeById = Upgrades.ToDictionary(u => u.Id);
        UpgradeByAbility = Upgrades.ToDictionary(u => u.Ability.Id);
        Effects = [.. FactTable.Read("effects").Rows.Select(r =>
            new EffectType(r.Int("id"), r.Text("name"), r.Text("friendly"), r.Float("radius")))];
        Buffs = [.. FactTable.Read("buffs").Rows.Select(row => new BuffType(row))];
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
    public static BuffType[] Buffs { get; }

    /// <summary>A unit type by its id, which must exist.</summary>
    public static UnitType Unit(int id) => UnitById[id];

    /// <summary>A unit type by its name in the tables.</summary>
    /// <exception cref="FormatException">The name is unknown.</exception>
    public static UnitType Unit(string name) => UnitByName.TryGetValue(name, out var type)
        ? type
        : throw new FormatException($"'{name}' is not the name of a unit type in units.tsv.");

    /// <summary>A buff by its id. The table has every id.</summary>
    public static BuffType Buff(int id) => Buffs[id];

    /// <summary>A unit type by its id, or null.</summary>
    public static UnitType? FindUnit(int id) => UnitById.GetValueOrDefault(id);

    /// <summary>An ability by its id, which must exist.</summary>
    public static Ability Ability(int id) => AbilityById[id];

    /// <summary>An ability by its id, or by its id in an earlier build; or null.</summary>
    public static Ability? FindAbility(int id) => AbilityById.GetValueOrDefault(id);

    /// <summary>An upgrade by its id, or null.</summary>
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

    private static void ReadChanges(FactTable.Row row)
    {
        foreach (var change in row.List("changes", ' '))
        {
            var parts = change.Split('.', '+');
            Unit(parts[0]).Changes.Add(new StatChange(
                row.Int("id"), Enum.Parse<Stat>(parts[1], ignoreCase: true), FactTable.Row.Scale(parts[2], 1)));
        }
    }

    // ResponseData has the footprint at the ability that builds a type. Its other states have the same footprint.
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
