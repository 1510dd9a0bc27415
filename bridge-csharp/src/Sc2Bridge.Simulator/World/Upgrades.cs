using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>The effects of upgrades: levels of weapons, armour and shields, and values that the table adds to single types.</summary>
/// <remarks>Ids are from UpgradeData. The three levels of an upgrade have consecutive ids.</remarks>
internal static class Upgrades
{
    /// <summary>Gives a player an upgrade, and applies it to its living units.</summary>
    public static void Gain(GameWorld world, Player player, int upgrade)
    {
        player.Upgrades.Add(upgrade);
        foreach (var unit in world.Units)
        {
            if (unit.Owner == player.Id
                && unit.Type.Changes.Exists(c => c.Upgrade == upgrade && c.Stat is Stat.Life or Stat.Cargo))
            {
                Strengthen(player, unit);
            }
        }
    }

    /// <summary>Gives a unit the additional life and passenger places of its owner's upgrades.</summary>
    public static void Strengthen(Player player, Unit unit)
    {
        var more = Sum(player, unit.Type, Stat.Life);
        unit.Health += (more - unit.MoreHealth) * 256;
        unit.MoreHealth = more;
        unit.MoreCargo = Sum(player, unit.Type, Stat.Cargo);
    }

    /// <summary>The sum that a player's upgrades add to a value of a type, in the table's unit.</summary>
    public static int Sum(Player player, UnitType type, Stat stat)
    {
        var sum = 0;
        for (var i = 0; i < type.Changes.Count; i++)
        {
            var change = type.Changes[i];
            sum += change.Stat == stat && player.Upgrades.Contains(change.Upgrade) ? change.Value : 0;
        }

        return sum;
    }

    /// <summary>The level, 0 to 3, of a type's weapons.</summary>
    public static int AttackLevel(Player player, UnitType type) =>
        type.Is(Kind.Structure) || type.Is(Kind.Worker) ? 0 : Level(player, AttackUpgrade(type));

    /// <summary>Gives a player the upgrades that the levels of one of its units show.</summary>
    /// <param name="player">The player.</param>
    /// <param name="type">The unit's type.</param>
    /// <param name="levels">The attack's level + 256 * the armour's + 65536 * the shields'.</param>
    public static void GainLevels(Player player, UnitType type, uint levels)
    {
        var mobile = !type.Is(Kind.Structure | Kind.Worker);
        Gain(mobile ? AttackUpgrade(type) : 0, (int)(levels & 255));
        Gain(mobile ? ArmorUpgrade(type) : 0, (int)((levels >> 8) & 255) - Sum(player, type, Stat.Armor));
        Gain(UpgradeId.ProtossShieldsLevel1, (int)((levels >> 16) & 255));

        void Gain(int first, int level)
        {
            if (first > 0 && level > 0)
            {
                player.Upgrades.Add(first + Math.Min(level, 3) - 1);
            }
        }
    }

    // The first level of the upgrade of a type's weapons; 0 if it has none.
    private static int AttackUpgrade(UnitType type) => type.Race switch
    {
        Race.Terran => type.Is(Kind.Infantry) ? UpgradeId.TerranInfantryWeaponsLevel1
            : type.Is(Kind.Flying) ? UpgradeId.TerranShipWeaponsLevel1
            : UpgradeId.TerranVehicleWeaponsLevel1,
        Race.Protoss => type.Is(Kind.Flying) ? UpgradeId.ProtossAirWeaponsLevel1
            : UpgradeId.ProtossGroundWeaponsLevel1,
        Race.Zerg => type.Is(Kind.Flying) ? UpgradeId.ZergFlyerWeaponsLevel1
            : type.Is(Kind.Melee) ? UpgradeId.ZergMeleeWeaponsLevel1
            : UpgradeId.ZergMissileWeaponsLevel1,
        _ => 0,
    };

    /// <summary>The level, 0 to 3, of a type's armour, plus the armour that single upgrades add.</summary>
    public static int ArmorLevel(Player player, UnitType type)
    {
        if (type.Is(Kind.Structure))
        {
            return type.Race == Race.Terran && player.Upgrades.Contains(UpgradeId.TerranBuildingArmor) ? 2 : 0;
        }

        return Sum(player, type, Stat.Armor) + Level(player, ArmorUpgrade(type));
    }

    private static int ArmorUpgrade(UnitType type) => type.Race switch
    {
        Race.Terran => type.Is(Kind.Infantry) ? UpgradeId.TerranInfantryArmorsLevel1
            : UpgradeId.TerranVehicleAndShipArmorsLevel1,
        Race.Protoss => type.Is(Kind.Flying) ? UpgradeId.ProtossAirArmorsLevel1
            : UpgradeId.ProtossGroundArmorsLevel1,
        Race.Zerg => type.Is(Kind.Flying) ? UpgradeId.ZergFlyerArmorsLevel1 : UpgradeId.ZergGroundArmorsLevel1,
        _ => 0,
    };

    /// <summary>The level, 0 to 3, of a type's shields.</summary>
    public static int ShieldLevel(Player player, UnitType type) =>
        type.Shield > 0 ? Level(player, UpgradeId.ProtossShieldsLevel1) : 0;

    /// <summary>A weapon's damage with its upgrade levels, in points.</summary>
    public static int Damage(Player player, UnitType type, Facts.Weapon weapon) =>
        weapon.Damage + (AttackLevel(player, type) * weapon.PerLevel);

    /// <summary>The additional range of a type's weapons from upgrades, in 1/4096 of a cell.</summary>
    public static int Range(Player player, UnitType type) => Sum(player, type, Stat.Range) * Geometry.Cell;

    /// <summary>A type's speed with upgrades, in 1/4096 of a cell a loop.</summary>
    public static int Speed(Player player, UnitType type, bool onCreep)
    {
        var speed = type.Speed + (type.Speed * Sum(player, type, Stat.Speed) / 100);
        return onCreep && type.Race == Race.Zerg && !type.Is(Kind.Flying | Kind.Worker)
            ? speed * type.CreepSpeed / 10_000
            : speed;
    }

    private static int Level(Player player, int first)
    {
        for (var level = 3; level > 0 && first > 0; level--)
        {
            if (player.Upgrades.Contains(first + level - 1))
            {
                return level;
            }
        }

        return 0;
    }
}
