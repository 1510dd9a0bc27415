using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>What upgrades do: levels of weapons, armour and shields, speed and reach.</summary>
/// <remarks>Ids are UpgradeData's; a level's three follow one another.</remarks>
internal static class Upgrades
{
    private const int TerranBuildingArmor = 6;
    private const int NeosteelFrame = 10;
    private const int Bunker = 24;
    private const int CombatShield = 16;
    private const int Marine = 48;
    private const int ChitinousPlating = 4;
    private const int Ultralisk = 109;
    private const int BurrowedUltralisk = 131;
    private const int PreIgniter = 19;
    private const int Hellion = 53;
    private const int Hellbat = 484;

    // By unit type: marine, reaper, ghost, marauder …
    private static readonly int[] Infantry = [45, 48, 49, 50, 51, 268];
    private static readonly int[] Melee = [9, 105, 109, 289];

    /// <summary>Gives a player an upgrade, and its living units what it brings them.</summary>
    public static void Gain(GameWorld world, Player player, int upgrade)
    {
        player.Upgrades.Add(upgrade);
        foreach (var unit in world.Units)
        {
            if (upgrade is CombatShield or TerranBuildingArmor or NeosteelFrame && unit.Owner == player.Id)
            {
                Strengthen(player, unit);
            }
        }
    }

    /// <summary>
    /// Gives a unit the life that its owner's upgrades bring it: a marine ten with its combat shield; and the places for
    /// passengers.
    /// </summary>
    /// <remarks>
    /// Neosteel Armor adds two places to a bunker and five to a command centre (liquipedia.net/starcraft2, Supply Depot (Legacy of
    /// the Void)). NeosteelFrame adds the same: cpp-sc2 71510f6, tests/test_unit_command.cc:1667, expects eight places in a bunker
    /// after a debug command that gives all upgrades.
    /// </remarks>
    public static void Strengthen(Player player, Unit unit)
    {
        var more = unit.Type.Id == Marine && player.Upgrades.Contains(CombatShield) ? 10 : 0;
        unit.Health += (more - unit.MoreHealth) * 256;
        unit.MoreHealth = more;
        if (unit.Type is { CargoSpace: > 0, Race: Race.Terran } && unit.Type.Is(Kind.Structure))
        {
            var steel = new[] { TerranBuildingArmor, NeosteelFrame }.Count(player.Upgrades.Contains);
            unit.MoreCargo = steel * (unit.Type.Id == Bunker ? 2 : 5);
        }
    }

    /// <summary>The level, 0 to 3, of a type's weapons.</summary>
    public static int AttackLevel(Player player, UnitType type) =>
        type.Is(Kind.Structure) || type.Is(Kind.Worker) ? 0 : Level(player, type.Race switch
        {
            Race.Terran => Infantry.Contains(type.Id) ? 7 : type.Is(Kind.Flying) ? 36 : 30,
            Race.Protoss => type.Is(Kind.Flying) ? 78 : 39,
            Race.Zerg => type.Is(Kind.Flying) ? 68 : Melee.Contains(type.Id) ? 53 : 59,
            _ => 0,
        });

    /// <summary>The level, 0 to 3, of a type's armour.</summary>
    public static int ArmorLevel(Player player, UnitType type)
    {
        if (type.Is(Kind.Structure))
        {
            return type.Race == Race.Terran && player.Upgrades.Contains(TerranBuildingArmor) ? 2 : 0;
        }

        var plating = type.Id is Ultralisk or BurrowedUltralisk && player.Upgrades.Contains(ChitinousPlating) ? 2 : 0;
        return plating + Level(player, type.Race switch
        {
            Race.Terran => Infantry.Contains(type.Id) ? 11 : 116,
            Race.Protoss => type.Is(Kind.Flying) ? 81 : 42,
            Race.Zerg => type.Is(Kind.Flying) ? 71 : 56,
            _ => 0,
        });
    }

    /// <summary>The level, 0 to 3, of a type's shields.</summary>
    public static int ShieldLevel(Player player, UnitType type) => type.Shield > 0 ? Level(player, 45) : 0;

    /// <summary>A weapon's damage, in points, with what its levels add.</summary>
    public static int Damage(Player player, UnitType type, Facts.Weapon weapon) =>
        weapon.Damage + (AttackLevel(player, type) * weapon.PerLevel);

    /// <summary>What Infernal Pre-Igniter adds against light units: to a hellion's damage 5, to a hellbat's 12.</summary>
    public static int AgainstLight(Player player, UnitType type) =>
        type.Id is Hellion or Hellbat && player.Upgrades.Contains(PreIgniter) ? type.Id == Hellion ? 5 : 12 : 0;

    /// <summary>How much farther a type's weapons reach, in 1/4096 of a cell.</summary>
    public static int Range(Player player, UnitType type)
    {
        var (upgrade, cells) = type.Id switch
        {
            107 => (134, 1),            // hydralisk: grooved spines
            4 => (50, 2),               // colossus: extended thermal lance
            78 => (99, 2),              // phoenix: anion pulse-crystals
            503 => (127, 2),            // lurker: seismic spines
            734 => (140, 2),            // liberator: advanced ballistics
            23 or 31 or 130 => (5, 1),  // turrets and planetary fortress: hi-sec auto tracking
            _ => (0, 0),
        };
        return cells > 0 && player.Upgrades.Contains(upgrade) ? cells * Geometry.Cell : 0;
    }

    /// <summary>A type's speed, in 1/4096 of a cell a loop, with what was researched for it.</summary>
    public static int Speed(Player player, UnitType type, bool onCreep)
    {
        var speed = type.Speed;
        var faster = type.Id switch
        {
            105 when player.Upgrades.Contains(66) => 60,  // zergling: metabolic boost
            110 when player.Upgrades.Contains(2) => 33,   // roach: glial reconstitution
            73 when player.Upgrades.Contains(86) => 40,   // zealot: charge
            106 or 893 when player.Upgrades.Contains(62) => 192, // overlord: pneumatized carapace
            129 when player.Upgrades.Contains(62) => 80,  // overseer
            9 when player.Upgrades.Contains(75) => 18,    // baneling: centrifugal hooks
            107 when player.Upgrades.Contains(135) => 25, // hydralisk: muscular augments
            109 when player.Upgrades.Contains(88) => 14,  // ultralisk: anabolic synthesis
            82 when player.Upgrades.Contains(48) => 50,   // observer: gravitic booster
            81 when player.Upgrades.Contains(49) => 30,   // warp prism: gravitic drive
            80 when player.Upgrades.Contains(288) => 21,  // void ray: flux vanes
            55 when player.Upgrades.Contains(136) => 36,  // banshee: hyperflight rotors
            _ => 0,
        };
        speed += speed * faster / 100;

        // Creep makes Zerg on the ground 30 % faster, a queen and crawlers far more; drones and broodlings not.
        var creeps = onCreep && type.Race == Race.Zerg && !type.Is(Kind.Flying | Kind.Worker) && type.Id != 289;
        return !creeps ? speed : type.Id switch
        {
            126 => speed * 8 / 3,
            139 or 140 => speed * 5 / 2,
            _ => speed + (speed * 3 / 10),
        };
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
