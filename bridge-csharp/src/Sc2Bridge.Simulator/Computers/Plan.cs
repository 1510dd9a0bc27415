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
/// <param name="Army">The mixture.</param>
/// <param name="Upgrades">Ids, each researched as soon as it can be.</param>
/// <param name="Morphs">Buildings that become others: from, the ability, from how many bases on.</param>
internal sealed record Plan(
    int Supply,
    int Refinery,
    WantedBuilding[] Buildings,
    WantedUnit[] Army,
    int[] Upgrades,
    (int From, int Ability, int Bases)[] Morphs)
{
    private static readonly Plan Terran = new(
        19, 20,
        [
            new(21, 1, 1, 14), new(21, 2, 2, 20), new(27, 1, 2, 22), new(21, 3, 2, 28), new(28, 1, 2, 30), new(22, 1, 2, 32),
            new(29, 1, 2, 40), new(21, 5, 3, 44), new(27, 2, 3, 46), new(22, 2, 3, 48), new(28, 2, 3, 50), new(24, 2, 2, 30),
            new(23, 3, 3, 44), new(27, 3, 4, 56), new(21, 8, 4, 58), new(23, 6, 4, 60), new(24, 4, 4, 60), new(27, 4, 4, 62), new(28, 4, 4, 62),
            new(21, 12, 5, 64), new(23, 20, 5, 64), new(24, 8, 5, 64), new(23, 48, 6, 64),
        ],
        [new(48, 30), new(51, 22), new(33, 18), new(54, 8), new(35, 8), new(52, 10), new(53, 4)],
        [7, 11, 15, 16, 30, 116, 8, 12, 31, 117, 9, 13, 32, 118, 17],
        [(18, 1516, 1)]);

    private static readonly Plan Zerg = new(
        106, 88,
        [
            new(89, 1, 1, 14), new(97, 1, 2, 24), new(90, 1, 2, 30), new(91, 1, 2, 36), new(90, 2, 3, 42), new(98, 2, 2, 30),
            new(99, 2, 3, 40), new(92, 1, 3, 48), new(94, 1, 3, 54), new(98, 5, 4, 56), new(99, 5, 4, 58), new(93, 1, 4, 60),
            new(98, 14, 5, 64), new(99, 18, 5, 64), new(98, 30, 6, 64), new(99, 40, 6, 64),
        ],
        [new(105, 36), new(110, 26), new(107, 20), new(112, 6), new(108, 6), new(109, 6)],
        [66, 59, 56, 2, 60, 57, 53, 54, 134, 135, 61, 58, 55],
        [(86, 1216, 2), (100, 1218, 4)]);

    private static readonly Plan Protoss = new(
        60, 61,
        [
            new(62, 1, 1, 14), new(72, 1, 1, 18), new(62, 2, 2, 22), new(71, 1, 2, 26), new(63, 1, 2, 30), new(65, 1, 2, 34),
            new(62, 4, 2, 38), new(67, 1, 2, 40), new(66, 2, 2, 34), new(70, 1, 3, 44), new(62, 7, 3, 48), new(71, 2, 3, 50),
            new(66, 5, 3, 52), new(63, 2, 3, 54), new(67, 2, 4, 56), new(66, 8, 4, 60), new(62, 10, 4, 60),
            new(66, 24, 5, 64), new(62, 14, 5, 64), new(67, 3, 5, 64), new(66, 50, 6, 64),
        ],
        [new(73, 22), new(74, 26), new(77, 4), new(83, 18), new(4, 16), new(80, 14)],
        [39, 42, 86, 45, 40, 43, 87, 50, 41, 44, 46],
        []);

    /// <summary>The plan of a race.</summary>
    public static Plan Of(Race race) => race switch { Race.Terran => Terran, Race.Zerg => Zerg, _ => Protoss };
}
