using System.CommandLine;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>One way to play, and its rounds.</summary>
/// <param name="Name">Which.</param>
/// <param name="Client">Which library, which version.</param>
/// <param name="Rounds">In their order. Rounds with the same number were measured at about the same time in all rows.</param>
internal sealed record ActingRow(string Name, string Client, List<ActingRound> Rounds);

/// <summary>Everything that was measured.</summary>
internal sealed record ActingReport(
    Machine Machine, string Frames, double FrameBytes, int Steps, IReadOnlyList<ActingRow> Rows);

/// <summary>
/// The command <c>acting</c>: how many steps a second an agent can observe, act on and request. It compares the bridge in
/// lockstep, python-sc2's own client on the game's API, and the same client through the bridge's proxy. Each has its own
/// simulated game with the same observations. They take turns, one round each.
/// </summary>
internal static class ActingCommand
{
    private const int WarmUp = 20;
    private const int ColdSteps = 3000;

    private static readonly string[] _ways =
    [
        "python-sc2+proxy", "grpc", "proto", "json", "grpc+columns", "proto+columns", "shm", "shm+columns", "grpc+asyncio", "proto+asyncio",
        "grpc+logs",
    ];

    public static Command Create()
    {
        var python = BenchCommand.Pythons();
        var rounds = BenchCommand.Number("--rounds", "rounds of each way", 30);
        var steps = BenchCommand.Number("--steps", "steps of a round, after 20 to warm up", 100);
        var ways = new Option<string[]>("--ways")
        {
            Description = $"ways through the bridge (of {string.Join(", ", _ways)}, …; +logs: as match records and logs)",
            DefaultValueFactory = _ => _ways,
            AllowMultipleArgumentsPerToken = true,
        };
        return BenchCommand.Create(
            "acting",
            "Observe, act and step: through the bridge, and by python-sc2 (burnysc2) directly.",
            [python, rounds, steps, ways],
            (parsed, ct) => MeasureAsync(
                BenchCommand.Named(parsed.GetValue(python))[0], parsed.GetValue(ways)!, parsed.GetValue(rounds),
                parsed.GetValue(steps), ct),
            Print);
    }

    private static async Task<ActingReport> MeasureAsync(
        string python, string[] ways, int rounds, int steps, CancellationToken ct)
    {
        var frames = MeasuredFrames.Simulate(ct);
        using var folder = frames.InFolder();
        var machine = Machine.Describe();
        var targets = new List<ActingTarget>();
        try
        {
            targets.Add(await ActingTarget.DirectAsync(python, $"{folder}", ct));
            foreach (var way in ways)
            {
                targets.Add(await ActingTarget.BridgedAsync(way, python, $"{folder}", ct));
            }

            // The runtime compiles the first round's code again and again, for thousands of steps.
            var measured = await Turns.RunAsync(
                targets, rounds, (target, isFirst) => target.MeasureAsync(isFirst ? ColdSteps : steps, WarmUp, ct));
            var rows = targets.Zip(measured, (target, own) => new ActingRow(target.Name, target.Client, own));
            return new ActingReport(machine, frames.Origin, frames.MeanLength, steps, [.. rows]);
        }
        finally
        {
            foreach (var target in targets)
            {
                await target.DisposeAsync();
            }
        }
    }

    private static void Print(Output output, ActingReport report)
    {
        output.Frames(report.Machine, report.Frames, report.FrameBytes);
        output.Line(Invariant($"rounds    {report.Rows[0].Rounds.Count} of {report.Steps} steps, all in turn"));
        var peer = report.Rows[0];
        output.Table(
            "an agent that observes, acts and steps; medians (least–most); CPU a step",
            report.Rows,
            ("way", row => row.Name),
            ("steps a second", row => Output.Spread(Spread.Of(row.Rounds.Select(round => round.PerSecond)))),
            ("× python-sc2", row => Output.Spread(
                Spread.Of(row.Rounds.Zip(peer.Rounds, (own, other) => own.PerSecond / other.PerSecond)), 2)),
            ("agent CPU µs", row => Output.Whole(Statistics.Median(row.Rounds.Select(round => round.AgentCpuUs)))),
            ("bridge CPU µs", row => Output.Whole(
                row == peer ? null : Statistics.Median(row.Rounds.Select(round => round.BridgeCpuUs)))));
        output.Clients(report.Rows.Select(row => (row.Client, row.Name)));
    }
}
