using Apache.Arrow.Types;
using SC2APIProtocol;
using Attribute = SC2APIProtocol.Attribute;

namespace Sc2Bridge.Tables;

/// <summary>
/// The names and costs of the match's units, abilities and upgrades. The game's lists have an entry for each id. Entries
/// without a name are skipped.
/// </summary>
internal static class ConstantTables
{
    /// <summary>All three tables. They have no rows if the recording lacks the game's data.</summary>
    internal static IReadOnlyList<Table> Of(ResponseData? data) =>
        [UnitTypes(data?.Units ?? []), Abilities(data?.Abilities ?? []), Upgrades(data?.Upgrades ?? [])];

    private static Table UnitTypes(IEnumerable<UnitTypeData> types)
    {
        var (id, name, race) = (Whole("unit_id"), new TextColumn("name"), new TextColumn("race"));
        var (minerals, vespene) = (Whole("mineral_cost"), Whole("vespene_cost"));
        var (required, provided, time) = (Real("food_required"), Real("food_provided"), Real("build_time"));
        var isStructure = new NumberColumn<bool>("is_structure", BooleanType.Default);
        var table = new Table("unit_types", [id, name, race, minerals, vespene, required, provided, time, isStructure], isOfObservations: false);
        foreach (var type in types.Where(type => type.Name.Length > 0))
        {
            id.Fill(type.UnitId, 1);
            name.Add(type.Name);
            race.Add(type.Race.ToString());
            minerals.Fill(type.MineralCost, 1);
            vespene.Fill(type.VespeneCost, 1);
            required.Fill(type.FoodRequired, 1);
            provided.Fill(type.FoodProvided, 1);
            time.Fill(type.BuildTime, 1);
            isStructure.Fill(type.Attributes.Contains(Attribute.Structure), 1);
            table.CountRows();
        }

        return table;
    }

    private static Table Abilities(IEnumerable<AbilityData> abilities)
    {
        var (id, name, general) = (Whole("ability_id"), new TextColumn("name"), Whole("remaps_to_ability_id"));
        var table = new Table("abilities", [id, name, general], isOfObservations: false);
        foreach (var ability in abilities)
        {
            var displayName = ability.FriendlyName.Length > 0 ? ability.FriendlyName : $"{ability.LinkName} {ability.ButtonName}".Trim();
            if (displayName.Length > 0)
            {
                id.Fill(ability.AbilityId, 1);
                name.Add(displayName);
                general.Fill(ability.RemapsToAbilityId, 1);
                table.CountRows();
            }
        }

        return table;
    }

    private static Table Upgrades(IEnumerable<UpgradeData> upgrades)
    {
        var (id, name, time) = (Whole("upgrade_id"), new TextColumn("name"), Real("research_time"));
        var (minerals, vespene) = (Whole("mineral_cost"), Whole("vespene_cost"));
        var table = new Table("upgrades", [id, name, minerals, vespene, time], isOfObservations: false);
        foreach (var upgrade in upgrades.Where(upgrade => upgrade.Name.Length > 0))
        {
            id.Fill(upgrade.UpgradeId, 1);
            name.Add(upgrade.Name);
            minerals.Fill(upgrade.MineralCost, 1);
            vespene.Fill(upgrade.VespeneCost, 1);
            time.Fill(upgrade.ResearchTime, 1);
            table.CountRows();
        }

        return table;
    }

    private static NumberColumn<uint> Whole(string name) => new(name, UInt32Type.Default);

    private static NumberColumn<float> Real(string name) => new(name, FloatType.Default);
}
