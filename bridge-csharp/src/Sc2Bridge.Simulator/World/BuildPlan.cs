using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>What a computer of a race builds: unit type ids throughout.</summary>
/// <param name="Supply">What provides supply.</param>
/// <param name="Gas">What stands on geysers.</param>
/// <param name="Tech">
/// Buildings in order: the type, how many workers there must be first, and how many of it in the end.
/// </param>
/// <param name="Army">Units: the type, what makes it, what must stand first, and its share in a full army.</param>
/// <param name="Defence">Buildings that guard every base, and how many at each.</param>
internal sealed record BuildPlan(
    int Supply, int Gas, (int Type, int Workers, int Count)[] Tech, (int Type, int From, int Needs, int Share)[] Army,
    (int Type, int Each)[] Defence)
{
    private static readonly BuildPlan Terran = new(
        19, 20,
        [(21, 14, 1), (21, 18, 3), (22, 24, 1), (27, 26, 1), (24, 28, 2), (21, 28, 5), (28, 32, 1), (29, 40, 1),
            (24, 40, 6), (21, 40, 8), (22, 48, 2), (27, 46, 2), (28, 52, 2), (24, 54, 12), (21, 60, 16)],
        [(48, 21, 21, 110), (51, 21, 21, 8), (33, 27, 27, 14), (54, 28, 28, 5), (35, 28, 28, 3), (53, 27, 27, 8)],
        [(24, 7), (23, 12)]);

    private static readonly BuildPlan Zerg = new(
        106, 88,
        [(89, 13, 1), (90, 24, 1), (97, 28, 1), (91, 40, 1), (92, 50, 1), (90, 50, 2)],
        [(105, 151, 89, 200), (110, 151, 97, 5), (107, 151, 91, 6), (108, 151, 92, 5), (126, 86, 89, 6)],
        [(98, 12), (99, 10), (Creep.TumorId, 30)]);

    private static readonly BuildPlan Protoss = new(
        60, 61,
        [(62, 14, 1), (72, 18, 1), (62, 22, 3), (63, 26, 1), (71, 32, 1), (67, 40, 1), (62, 46, 6), (71, 54, 2),
            (62, 60, 8)],
        [(73, 62, 62, 24), (74, 62, 72, 20), (77, 62, 72, 6), (83, 71, 71, 6), (4, 71, 71, 3)],
        [(66, 5)]);

    /// <summary>The plan of a race.</summary>
    public static BuildPlan Of(Race race) => race switch { Race.Terran => Terran, Race.Zerg => Zerg, _ => Protoss };
}
