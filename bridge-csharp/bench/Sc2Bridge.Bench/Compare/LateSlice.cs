using Sc2Bridge.Simulator;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>A late stretch of a simulated match as a recording, which every measurement receives.</summary>
internal static class LateSlice
{
    private const string MatchId = "simulated";

    /// <summary>What is recorded, as a reader of the results is told it.</summary>
    public static string Describe(string map, int steps) =>
        Invariant($"simulated, two Elites on {map}, seed {SimulatorDefaults.Seed}: ")
        + Invariant($"{steps:N0} steps from game loop {SimulatedMatch.LateLoop:N0} on");

    /// <summary>Plays the match and records its late steps.</summary>
    public static Task RecordAsync(string path, string map, int steps, CancellationToken ct) =>
        RecordAsync([(SimulatedMatch.LateLoop, path)], map, steps, ct);

    /// <summary>
    /// Plays the match once and records steps from several game loops on: the earliest first, further apart than the steps
    /// are many.
    /// </summary>
    internal static async Task RecordAsync(
        IReadOnlyList<(uint Loop, string Path)> stretches, string map, int steps, CancellationToken ct)
    {
        var match = new SimulatedMatch(map);
        foreach (var (loop, path) in stretches)
        {
            match.Play((int)loop, ct);
            await SliceFile.WriteAsync(path, hub => PublishAsync(hub, match, steps, ct));
        }
    }

    private static async Task<MatchEnd> PublishAsync(Hub hub, SimulatedMatch match, int steps, CancellationToken ct)
    {
        hub.Announce(match.Describe(MatchId), new NoRequests());
        for (var step = 0; step < steps; step++)
        {
            await hub.PublishAsync(match.ObserveFrame(MatchId, (ulong)step), ct);
            match.Play(match.Loop + 1, ct);
        }

        var end = new MatchEnd { MatchId = MatchId, Step = (ulong)steps - 1, Reason = "step limit" };
        hub.End(end);
        return end;
    }
}
