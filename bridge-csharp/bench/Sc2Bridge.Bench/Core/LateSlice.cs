using Sc2Bridge.Simulator;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>The late stretch of the simulated match as a recording, where its observations are at their largest.</summary>
internal static class LateSlice
{
    /// <summary>What is recorded, as a reader of the results is told it.</summary>
    public static string Describe(int steps) =>
        Invariant($"simulated, two Elites on {SimulatedMatch.Map}, seed {SimulatorDefaults.Seed}: ")
        + Invariant($"{steps:N0} steps from game loop {SimulatedMatch.LateLoop:N0} on");

    /// <summary>Plays the match and records its late steps; the file is whole once it bears its name.</summary>
    public static async Task RecordAsync(string path, int steps, CancellationToken ct)
    {
        var unfinished = path + ".part";
        using (var match = new SteppedMatch(unfinished, SimulatedMatch.LateLoop))
        {
            for (var step = 0; step < steps; step++)
            {
                await match.StepAsync(ct);
            }

            await match.EndAsync();
        }

        File.Move(unfinished, path, overwrite: true);
    }
}
