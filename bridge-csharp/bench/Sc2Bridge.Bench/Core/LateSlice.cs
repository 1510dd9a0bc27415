using Sc2Bridge.Simulator;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>The late stretch of the simulated match as a recording, where its observations are at their largest.</summary>
internal static class LateSlice
{
    private const string MatchId = "simulated";

    /// <summary>What is recorded, as a reader of the results is told it.</summary>
    public static string Describe(int steps) =>
        Invariant($"simulated, two Elites on {SimulatedMatch.Map}, seed {SimulatorDefaults.Seed}: ")
        + Invariant($"{steps:N0} steps from game loop {SimulatedMatch.LateLoop:N0} on");

    /// <summary>Plays the match and records its late steps; the file is whole once it bears its name.</summary>
    public static async Task RecordAsync(string path, int steps, CancellationToken ct)
    {
        var unfinished = path + ".part";
        using (var hub = new Hub(new HubOptions()))
        using (var recorder = BridgeHost.Record(hub, unfinished))
        {
            var match = new SimulatedMatch();
            match.Play(SimulatedMatch.LateLoop, ct);
            hub.Announce(match.Describe(MatchId), new NoRequests());
            for (var step = 0; step < steps; step++)
            {
                await hub.PublishAsync(match.ObserveFrame(MatchId, (ulong)step), ct);
                match.Play(match.Loop + 1, ct);
            }

            var end = new MatchEnd { MatchId = MatchId, Step = (ulong)steps - 1, Reason = "step limit" };
            hub.End(end);
            await recorder.EndAsync(end);
            if (recorder.Figures is not { Problem: null, MissingObservations: 0 })
            {
                throw new CommandException($"{path} cannot be written: {recorder.Figures.Problem ?? "steps are missing"}");
            }
        }

        File.Move(unfinished, path, overwrite: true);
    }
}
