using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Api;

/// <summary>A build of StarCraft II whose versions the simulated game can report. The rules of the match are the same for every build.</summary>
/// <param name="Name">The version as users know it.</param>
/// <param name="BaseBuild">The number in <c>Versions/Base…</c>.</param>
/// <param name="DataVersion">The version of the data.</param>
/// <param name="FirstMissingAbility">The first ability that the build does not have; the abilities after it are newer.</param>
/// <param name="FirstMissingUnit">The first unit type that the build does not have.</param>
internal sealed record SimulatedBuild(string Name, uint BaseBuild, string DataVersion, int FirstMissingAbility, int FirstMissingUnit)
{
    /// <summary>The version whose types and costs the simulated game has.</summary>
    internal const string Newest = "5.0.14";

    // Source of the versions: s2client-proto dd91ad3, buildinfo/versions.json (4.10); burnysc2 7.3.0, sc2/versions.py (5.0.14).
    // Source of the first ids of 5.0: https://github.com/ocraft/ocraft-s2client/issues/36.
    internal static IReadOnlyList<SimulatedBuild> All { get; } =
    [
        new("4.10", 75689, "B89B5D6FA7CBF6452E721311BFBC6CB2", 4107, 1994),
        new(Newest, 93333, "446907060311FB1CC29EB31E547BB9FD", int.MaxValue, int.MaxValue),
    ];

    /// <summary>Removes the types that the build does not have. Each list is sorted, and its index is the id.</summary>
    internal ResponseData Limit(ResponseData data)
    {
        while (data.Abilities.Count > FirstMissingAbility)
        {
            data.Abilities.RemoveAt(data.Abilities.Count - 1);
        }

        while (data.Units.Count > FirstMissingUnit)
        {
            data.Units.RemoveAt(data.Units.Count - 1);
        }

        return data;
    }
}
