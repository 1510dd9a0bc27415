using SC2APIProtocol;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Makes ResponseData of the tables that the world uses.</summary>
internal static class GameDataMaker
{
    /// <summary>Abilities that the world's units carry out besides making things, by the game's ids.</summary>
    private static readonly (uint Id, string Name, AbilityData.Types.Target Target)[] Orders =
    [
        (16, "Move", AbilityData.Types.Target.PointOrUnit),
        (23, "Attack", AbilityData.Types.Target.PointOrUnit),
        (295, "Harvest Gather SCV", AbilityData.Types.Target.Unit),
        (296, "Harvest Return SCV", AbilityData.Types.Target.None),
        (298, "Harvest Gather Probe", AbilityData.Types.Target.Unit),
        (299, "Harvest Return Probe", AbilityData.Types.Target.None),
        (1183, "Harvest Gather Drone", AbilityData.Types.Target.Unit),
        (1184, "Harvest Return Drone", AbilityData.Types.Target.None),
    ];

    public static ResponseData Make(RequestData request)
    {
        var data = new ResponseData();
        if (request.AbilityId)
        {
            AddAbilities(data);
        }

        if (request.UnitTypeId)
        {
            data.Units.AddRange(UnitTable.All.OrderBy(f => f.Id).Select(UnitType));
        }

        if (request.UpgradeId)
        {
            data.Upgrades.AddRange(Upgrade.All.OrderBy(u => u.Id).Select(u => new UpgradeData
            {
                UpgradeId = (uint)u.Id,
                Name = u.Name,
                MineralCost = (uint)u.Minerals,
                VespeneCost = (uint)u.Vespene,
                ResearchTime = u.Loops,
                AbilityId = (uint)u.Ability,
            }));
        }

        // The world has no buffs and no effects: their tables are empty.
        return data;
    }

    private static void AddAbilities(ResponseData data)
    {
        var all = new SortedDictionary<uint, AbilityData>();
        foreach (var (id, name, target) in Orders)
        {
            all[id] = Ability(id, name, target);
        }

        foreach (var facts in UnitTable.All.Where(f => f.Ability > 0))
        {
            var worker = facts.Is(Kind.Structure) && !facts.Is(Kind.AddOn);
            var target = !worker ? AbilityData.Types.Target.None
                : facts.Is(Kind.Gas) ? AbilityData.Types.Target.Unit : AbilityData.Types.Target.Point;
            var ability = Ability((uint)facts.Ability, (worker ? "Build " : "Train ") + facts.Name, target);
            ability.IsBuilding = worker;
            all[ability.AbilityId] = ability;
        }

        foreach (var upgrade in Upgrade.All)
        {
            all[(uint)upgrade.Ability] =
                Ability((uint)upgrade.Ability, "Research " + upgrade.Name, AbilityData.Types.Target.None);
        }

        data.Abilities.AddRange(all.Values);
    }

    private static AbilityData Ability(uint id, string name, AbilityData.Types.Target target) => new()
    {
        AbilityId = id,
        LinkName = name.Replace(" ", "", StringComparison.Ordinal),
        LinkIndex = 0,
        FriendlyName = name,
        Available = true,
        Target = target,
    };

    private static UnitTypeData UnitType(UnitFacts facts)
    {
        var unit = new UnitTypeData
        {
            UnitId = (uint)facts.Id,
            Name = facts.Name,
            Available = true,
            MineralCost = (uint)facts.Minerals,
            VespeneCost = (uint)facts.Vespene,
            FoodRequired = facts.HalfFood / 2f,
            FoodProvided = facts.FoodProvided,
            AbilityId = (uint)facts.Ability,
            Race = facts.Race,
            BuildTime = facts.BuildLoops,
            HasMinerals = facts.Id is 341 or 483,
            HasVespene = facts.Id == 342,
            SightRange = facts.Sight,
            MovementSpeed = facts.Speed * 16f / Geometry.Cell,
            Armor = facts.Armor,
        };
        unit.Attributes.AddRange(facts.Attributes.Select(a => (SC2APIProtocol.Attribute)a));
        unit.Weapons.AddRange(facts.Weapons.Select(w => new Weapon
        {
            Type = w.Target,
            Damage = w.Damage,
            Attacks = (uint)w.Attacks,
            Range = (float)w.Range,
            Speed = w.Cooldown / 16f,
        }));
        return unit;
    }
}
