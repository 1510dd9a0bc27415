using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>A building that a computer wants.</summary>
/// <param name="Type">Which unit type.</param>
/// <param name="Count">How many in all.</param>
/// <param name="Bases">From how many bases on.</param>
/// <param name="Workers">From how many workers on.</param>
internal readonly record struct WantedBuilding(int Type, int Count, int Bases, int Workers);

/// <summary>A part of an army.</summary>
/// <param name="Type">Which unit type.</param>
/// <param name="Weight">How much of the army's supply it shall be, against the others'.</param>
internal readonly record struct WantedUnit(int Type, int Weight);

/// <summary>What a computer of a race builds, in this order, and what its army is made of.</summary>
/// <param name="Supply">What gives supply.</param>
/// <param name="Refinery">What takes gas.</param>
/// <param name="Buildings">Each as soon as its conditions hold.</param>
/// <param name="Production">What makes more, in this order, where there are minerals that nothing can use.</param>
/// <param name="Spare">What else, in this order, once the supply is used up.</param>
/// <param name="Army">The mixture.</param>
/// <param name="Upgrades">Ids, each researched as soon as it can be.</param>
/// <param name="Morphs">Buildings that become others: from, the ability, from how many bases on.</param>
internal sealed record Plan(
    int Supply,
    int Refinery,
    WantedBuilding[] Buildings,
    WantedBuilding[] Production,
    WantedBuilding[] Spare,
    WantedUnit[] Army,
    int[] Upgrades,
    (int From, int Ability, int Bases)[] Morphs)
{
    private static readonly Plan Terran = new(
        19, 20,
        [
            new(21, 1, 1, 14), new(21, 2, 2, 20), new(27, 1, 2, 22), new(21, 3, 2, 30), new(28, 1, 2, 32),
            new(22, 1, 3, 36), new(21, 5, 3, 40), new(24, 1, 3, 40), new(29, 1, 3, 44), new(22, 2, 3, 48),
            new(21, 8, 3, 50), new(23, 2, 3, 52), new(27, 2, 3, 54), new(28, 2, 3, 56), new(21, 10, 4, 62),
            new(27, 3, 4, 64), new(21, 12, 4, 66), new(28, 3, 4, 66),
        ],
        [new(21, 16, 4, 0), new(28, 4, 5, 0), new(21, 20, 5, 0)],
        [new(24, 6, 4, 0), new(23, 18, 4, 0), new(19, 30, 4, 0), new(24, 12, 5, 0), new(23, 48, 5, 0)],
        [new(48, 60), new(51, 12), new(33, 8), new(54, 8), new(35, 6), new(52, 3), new(53, 5)],
        [7, 11, 15, 16, 30, 116, 8, 12, 31, 117, 9, 13, 32, 118, 17],
        [(18, 1516, 1)]);

    private static readonly Plan Zerg = new(
        106, 88,
        [
            new(89, 1, 1, 16), new(97, 1, 3, 36), new(90, 1, 3, 38), new(91, 1, 3, 46), new(90, 2, 3, 54),
            new(98, 2, 3, 44), new(99, 2, 3, 50), new(92, 1, 4, 58), new(94, 1, 4, 60), new(93, 1, 5, 64),
        ],
        [],
        [new(98, 12, 4, 0), new(99, 16, 4, 0), new(106, 34, 4, 0), new(98, 28, 5, 0), new(99, 36, 5, 0)],
        [new(105, 56), new(110, 14), new(107, 14), new(112, 5), new(108, 6), new(109, 5)],
        [66, 59, 56, 2, 60, 57, 53, 54, 134, 135, 61, 58, 55],
        [(86, 1216, 3), (100, 1218, 4)]);

    private static readonly Plan Protoss = new(
        60, 61,
        [
            new(62, 1, 1, 14), new(72, 1, 1, 20), new(62, 2, 2, 24), new(71, 1, 2, 30), new(63, 1, 2, 34),
            new(65, 1, 2, 36), new(66, 1, 2, 36), new(62, 4, 2, 40), new(67, 1, 2, 44), new(70, 1, 3, 50),
            new(62, 7, 3, 48), new(71, 2, 3, 54), new(66, 4, 3, 56), new(63, 2, 3, 58), new(67, 2, 4, 60),
            new(62, 10, 4, 60), new(67, 3, 5, 66),
        ],
        [new(62, 14, 4, 0), new(67, 4, 5, 0), new(62, 18, 5, 0)],
        [new(66, 16, 4, 0), new(60, 30, 4, 0), new(1910, 10, 4, 0), new(66, 44, 5, 0)],
        [new(73, 40), new(74, 26), new(77, 4), new(83, 12), new(4, 12), new(80, 10)],
        [39, 42, 86, 45, 40, 43, 87, 50, 41, 44, 46],
        []);

    /// <summary>The plan of a race.</summary>
    public static Plan Of(Race race) => race switch { Race.Terran => Terran, Race.Zerg => Zerg, _ => Protoss };
}
