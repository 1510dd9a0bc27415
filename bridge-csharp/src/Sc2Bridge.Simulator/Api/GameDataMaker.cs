using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Creates ResponseData from the tables that the world uses.</summary>
/// <remarks>
/// Clients use an id as an index into the lists. So ids that are missing from the tables have almost empty entries, as
/// in the game. The values are the values at a match's start. Later in a match, the game adds the upgrades of the player
/// that asks.
/// </remarks>
internal static class GameDataMaker
{
    private static readonly Lazy<ResponseData> _all = new(() => new ResponseData
    {
        Abilities = { Dense("abilities", id => new() { AbilityId = id, LinkName = "", Available = false }, Ability) },
        Units = { Dense("units", id => new() { UnitId = id, Name = "", Available = false }, Unit) },
        Upgrades = { Dense("upgrades", id => new() { UpgradeId = id, Name = "" }, Upgrade) },
        Buffs = { TechTree.Buffs.Select(b => new BuffData { BuffId = (uint)b.Id, Name = b.Name }) },
        Effects =
        {
            TechTree.Effects.Select(e => new EffectData
            {
                EffectId = (uint)e.Id,
                Name = e.Name,
                FriendlyName = e.Friendly,
                Radius = e.Radius,
            }),
        },
    });

    /// <summary>Returns the requested tables.</summary>
    public static ResponseData Make(RequestData request) => DataTables.Select(_all.Value, request);

    private static IEnumerable<TData> Dense<TData>(
        string table, Func<uint, TData> skipped, Func<FactTable.Row, TData> made)
    {
        var next = 0u;
        foreach (var row in FactTable.Read(table).Rows.OrderBy(row => row.Int("id")))
        {
            for (; next < row.Int("id"); next++)
            {
                yield return skipped(next);
            }

            next++;
            yield return made(row);
        }
    }

    private static AbilityData Ability(FactTable.Row row)
    {
        var ability = TechTree.Ability(row.Int("id"));
        var data = new AbilityData
        {
            AbilityId = (uint)ability.Id,
            LinkName = ability.Link,
            LinkIndex = (uint)ability.Index,
            FriendlyName = ability.Friendly,
            Hotkey = row.Text("hotkey"),
            Available = row.Text("available") != "no",
        };
        if (row.Text("button") is { Length: > 0 } button)
        {
            data.ButtonName = button;
        }

        if (ability.RemapsTo > 0)
        {
            data.RemapsToAbilityId = (uint)ability.RemapsTo;
        }

        if (ability.Target is { } target)
        {
            (data.Target, data.AllowMinimap, data.AllowAutocast) = (target, row.Yes("minimap"), ability.Autocast);
        }

        if (row.Yes("building"))
        {
            (data.IsBuilding, data.FootprintRadius) = (true, ability.FootprintRadius);
        }

        if (row.Yes("instant_placement"))
        {
            data.IsInstantPlacement = true;
        }

        if (ability.CastRange > 0)
        {
            data.CastRange = ability.CastRange;
        }

        return data;
    }

    private static UnitTypeData Unit(FactTable.Row row)
    {
        var type = TechTree.Unit(row.Int("id"));
        var data = new UnitTypeData
        {
            UnitId = (uint)type.Id,
            Name = type.Name,
            Available = row.Text("available") != "no",
            MineralCost = (uint)type.Minerals,
            VespeneCost = (uint)type.Vespene,
            Race = type.Race,
            SightRange = row.Float("sight"),
            MovementSpeed = type.Speed * 16f / 4096,
            Armor = type.Armor,
        };
        data.Attributes.AddRange(type.Attributes);
        data.TechAlias.AddRange(type.TechAlias.Select(a => (uint)a));
        data.Weapons.AddRange(type.Weapons.Select(Weapon));
        if (type.HalfFood > 0)
        {
            data.FoodRequired = type.HalfFood / 2f;
        }
        else
        {
            data.FoodProvided = type.FoodProvided;
        }

        if (type.MadeBy is { } maker)
        {
            (data.AbilityId, data.BuildTime) = ((uint)maker.Id, row.Float("build_loops"));
        }

        if (type.TechRequirement > 0)
        {
            var attached = row.Text("attached").Length > 0;
            (data.TechRequirement, data.RequireAttached) = ((uint)type.TechRequirement, attached);
        }

        if (type.UnitAlias > 0)
        {
            data.UnitAlias = (uint)type.UnitAlias;
        }

        if (type.CargoSize > 0)
        {
            data.CargoSize = (uint)type.CargoSize;
        }

        if (type.Is(Kind.Minerals))
        {
            data.HasMinerals = true;
        }

        if (type.Is(Kind.Geyser | Kind.Refinery))
        {
            data.HasVespene = true;
        }

        return data;
    }

    private static SC2APIProtocol.Weapon Weapon(Facts.Weapon weapon)
    {
        var data = new SC2APIProtocol.Weapon
        {
            Type = weapon.Target,
            Damage = weapon.Damage,
            Attacks = (uint)weapon.Attacks,
            Range = weapon.Range / 4096f,
            Speed = weapon.Cooldown / (16f * 256),
        };
        data.DamageBonus.AddRange(weapon.Bonuses.Select(b => new DamageBonus { Attribute = b.Attribute, Bonus = b.Bonus }));
        return data;
    }

    private static UpgradeData Upgrade(FactTable.Row row) => new()
    {
        UpgradeId = (uint)row.Int("id"),
        Name = row.Text("name"),
        MineralCost = (uint)row.Int("minerals"),
        VespeneCost = (uint)row.Int("vespene"),
        ResearchTime = row.Int("research_loops"),
        AbilityId = (uint)row.Int("ability"),
    };
}
