using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>An upgrade: ids, costs and times as the game's ResponseData (build 5.0) gives them.</summary>
/// <param name="Id">The game's upgrade id.</param>
/// <param name="Name">The game's name of it.</param>
/// <param name="Minerals">Cost.</param>
/// <param name="Vespene">Cost in gas.</param>
/// <param name="Loops">Game loops of research.</param>
/// <param name="Ability">The ability that researches it.</param>
/// <param name="Race">Whose it is.</param>
/// <param name="Where">The unit type that researches it.</param>
/// <param name="Attack">Levels of attack that it gives.</param>
/// <param name="Armor">Levels of armour that it gives.</param>
internal sealed record Upgrade(
    int Id, string Name, int Minerals, int Vespene, int Loops, int Ability, Race Race, int Where, int Attack, int Armor)
{
    /// <summary>Every upgrade of the simulated world, in the order that a computer researches them.</summary>
    public static Upgrade[] All { get; } =
    [
        new(7, "TerranInfantryWeaponsLevel1", 100, 100, 2560, 652, Race.Terran, 22, 1, 0),
        new(11, "TerranInfantryArmorsLevel1", 100, 100, 2560, 656, Race.Terran, 22, 0, 1),
        new(8, "TerranInfantryWeaponsLevel2", 175, 175, 3040, 653, Race.Terran, 22, 1, 0),
        new(12, "TerranInfantryArmorsLevel2", 175, 175, 3040, 657, Race.Terran, 22, 0, 1),
        new(9, "TerranInfantryWeaponsLevel3", 250, 250, 3520, 654, Race.Terran, 22, 1, 0),
        new(13, "TerranInfantryArmorsLevel3", 250, 250, 3520, 658, Race.Terran, 22, 0, 1),
        new(53, "ZergMeleeWeaponsLevel1", 100, 100, 2560, 1186, Race.Zerg, 90, 1, 0),
        new(56, "ZergGroundArmorsLevel1", 150, 150, 2560, 1189, Race.Zerg, 90, 0, 1),
        new(54, "ZergMeleeWeaponsLevel2", 150, 150, 3040, 1187, Race.Zerg, 90, 1, 0),
        new(57, "ZergGroundArmorsLevel2", 225, 225, 3040, 1190, Race.Zerg, 90, 0, 1),
        new(55, "ZergMeleeWeaponsLevel3", 200, 200, 3520, 1188, Race.Zerg, 90, 1, 0),
        new(58, "ZergGroundArmorsLevel3", 300, 300, 3520, 1191, Race.Zerg, 90, 0, 1),
        new(39, "ProtossGroundWeaponsLevel1", 100, 100, 2880, 1062, Race.Protoss, 63, 1, 0),
        new(42, "ProtossGroundArmorsLevel1", 100, 100, 2880, 1065, Race.Protoss, 63, 0, 1),
    ];
}
