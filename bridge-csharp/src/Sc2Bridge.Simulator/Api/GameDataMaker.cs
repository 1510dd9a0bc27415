using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Makes ResponseData of the tables that the world uses.</summary>
/// <remarks>
/// A place in a list is the id, as clients count on: ids that the tables do not hold are all but empty, as the game has
/// it of those that it skips. The values are those at a match's start; the game adds the asking player's upgrades later
/// on.
/// </remarks>
internal static class GameDataMaker
{
    private static readonly Lazy<ResponseData> _all = new(() => new ResponseData
    {
        Abilities = { Dense(TechTree.Abilities, a => a.Id, NoAbility, Ability) },
        Units = { Dense(TechTree.Units, u => u.Id, id => new() { UnitId = id, Name = "", Available = false }, Unit) },
        Upgrades = { Dense(TechTree.Upgrades, u => u.Id, id => new() { UpgradeId = id, Name = "" }, Upgrade) },
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

    /// <summary>The tables that are asked for.</summary>
    public static ResponseData Make(RequestData request) => DataTables.Select(_all.Value, request);

    private static IEnumerable<TData> Dense<TFact, TData>(
        TFact[] facts, Func<TFact, int> id, Func<uint, TData> skipped, Func<TFact, TData> made)
    {
        var next = 0u;
        foreach (var fact in facts.OrderBy(id))
        {
            for (; next < id(fact); next++)
            {
                yield return skipped(next);
            }

            next++;
            yield return made(fact);
        }
    }

    private static AbilityData NoAbility(uint id) => new() { AbilityId = id, LinkName = "", Available = false };

    private static AbilityData Ability(Ability ability)
    {
        var data = new AbilityData
        {
            AbilityId = (uint)ability.Id,
            LinkName = ability.Link,
            LinkIndex = (uint)ability.Index,
            FriendlyName = ability.Friendly,
            Hotkey = ability.Hotkey,
            Available = ability.Available,
        };
        if (ability.Button.Length > 0)
        {
            data.ButtonName = ability.Button;
        }

        if (ability.RemapsTo > 0)
        {
            data.RemapsToAbilityId = (uint)ability.RemapsTo;
        }

        if (ability.Target is { } target)
        {
            data.Target = target;
            data.AllowMinimap = ability.Minimap;
            data.AllowAutocast = ability.Autocast;
        }

        if (ability.Building)
        {
            data.IsBuilding = true;
            data.FootprintRadius = ability.FootprintRadius;
        }

        if (ability.InstantPlacement)
        {
            data.IsInstantPlacement = true;
        }

        if (ability.CastRange > 0)
        {
            data.CastRange = ability.CastRange;
        }

        return data;
    }

    private static UnitTypeData Unit(UnitType type)
    {
        var data = new UnitTypeData
        {
            UnitId = (uint)type.Id,
            Name = type.Name,
            Available = type.Available,
            MineralCost = (uint)type.Minerals,
            VespeneCost = (uint)type.Vespene,
            Race = type.Race,
            SightRange = type.SightRange,
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
            (data.AbilityId, data.BuildTime) = ((uint)maker.Id, type.BuildTime);
        }

        if (type.TechRequirement > 0)
        {
            (data.TechRequirement, data.RequireAttached) = ((uint)type.TechRequirement, type.RequiresAttached);
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
        data.DamageBonus.AddRange(weapon.Bonuses.Select(b => new DamageBonus
        {
            Attribute = b.Attribute,
            Bonus = b.Bonus,
        }));
        return data;
    }

    private static UpgradeData Upgrade(UpgradeType upgrade) => new()
    {
        UpgradeId = (uint)upgrade.Id,
        Name = upgrade.Name,
        MineralCost = (uint)upgrade.Minerals,
        VespeneCost = (uint)upgrade.Vespene,
        ResearchTime = upgrade.Loops,
        AbilityId = (uint)upgrade.Ability.Id,
    };
}
