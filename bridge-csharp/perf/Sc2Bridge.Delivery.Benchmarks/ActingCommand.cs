using System.CommandLine;
using System.Globalization;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>One way to play, and its rounds.</summary>
/// <param name="Name">Which.</param>
/// <param name="Client">Which library, which version.</param>
/// <param name="Rounds">In their order; those of the same number of all rows were measured beside each other.</param>
internal sealed record ActingRow(string Name, string Client, List<ActingRound> Rounds);

/// <summary>Everything that was measured.</summary>
internal sealed record ActingReport(
    Machine Machine, string Frames, double FrameBytes, int Steps, IReadOnlyList<ActingRow> Rows);

/// <summary>
/// The command <c>acting</c>: how many steps a second an agent observes, acts upon and asks for, through the bridge in
/// lockstep and by python-sc2's own client on the game's API, each on a simulated game of its own with the same
/// observations, a round of each in turn.
/// </summary>
internal static class ActingCommand
{
    private const int WarmUp = 20;
    private const int ColdSteps = 3000;

    private static readonly string[] _ways =
        ["grpc", "proto", "json", "grpc+columns", "json+columns", "grpc+asyncio", "proto+asyncio", "grpc+logs"];

    public static Command Create()
    {
        var python = new Option<string>("--python")
        {
            Description = "The interpreter of the agents (burnysc2, grpcio, websockets, numpy, protobuf)",
            DefaultValueFactory = _ => PythonScript.DefaultPython,
        };
        var rounds = CommonOptions.Number("--rounds", "Rounds of each way", 30);
        var steps = CommonOptions.Number("--steps", "Steps of a round, after 20 to warm up", 100);
        var ways = new Option<string[]>("--ways")
        {
            Description = $"Ways through the bridge (of {string.Join(", ", _ways)}, …; logs: as match records and logs)",
            DefaultValueFactory = _ => _ways,
            AllowMultipleArgumentsPerToken = true,
        };
        var frames = CommonOptions.Frames();
        var json = CommonOptions.Json();
        var command = new Command("acting", "Observe, act and step: through the bridge, and by python-sc2 directly")
        {
            python, rounds, steps, ways, frames, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var source = FrameSource.Open(parsed.GetValue(frames), ct);
            var report = await MeasureAsync(
                source, parsed.GetValue(python)!, parsed.GetValue(ways)!, parsed.GetValue(rounds),
                parsed.GetValue(steps), ct);
            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
            return 0;
        });
        return command;
    }

    private static async Task<ActingReport> MeasureAsync(
        MeasuredFrames frames, string python, string[] ways, int rounds, int steps, CancellationToken ct)
    {
        var machine = Machine.Describe();
        var folder = Directory.CreateTempSubdirectory("sc2bridge-acting-");
        var targets = new List<ActingTarget>();
        try
        {
            frames.Save(folder.FullName);
            targets.Add(await ActingTarget.DirectAsync(python, folder.FullName, ct));
            foreach (var way in ways)
            {
                targets.Add(await ActingTarget.BridgedAsync(way, python, folder.FullName, ct));
            }

            var rows = targets.ConvertAll(target => new ActingRow(target.Name, target.Client, []));

            // The first round meets cold code, which is compiled anew for thousands of steps, and is not kept.
            for (var round = 0; round <= rounds; round++)
            {
                await Console.Error.WriteLineAsync(round == 0 ? "warming up" : $"round {round} of {rounds}");
                for (var index = 0; index < targets.Count; index++)
                {
                    var measured = await targets[index].MeasureAsync(round == 0 ? ColdSteps : steps, WarmUp, ct);
                    if (round > 0)
                    {
                        rows[index].Rounds.Add(measured);
                    }
                }
            }

            return new ActingReport(machine, frames.Origin, frames.MeanLength, steps, rows);
        }
        finally
        {
            foreach (var target in targets)
            {
                await target.DisposeAsync();
            }

            folder.Delete(recursive: true);
        }
    }

    private static void Print(ActingReport report)
    {
        Console.WriteLine(report.Machine.Text);
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"frames    {report.Frames}, {report.FrameBytes / 1024:0.0} KiB on average"));
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"rounds    {report.Rows[0].Rounds.Count} of {report.Steps} steps, all in turn"));
        Console.WriteLine();
        Console.WriteLine(
            "| way | client | steps a second (rounds) | in times python-sc2 (rounds) "
            + "| CPU a step, µs: agent | bridge |");
        Console.WriteLine("| --- | --- | --- | --- | --- | --- |");
        var peer = report.Rows[0];
        foreach (var row in report.Rows)
        {
            var times = Spread.Of([.. row.Rounds.Zip(peer.Rounds, (own, other) => own.PerSecond / other.PerSecond)]);
            var perSecond = Spread.Of([.. row.Rounds.Select(round => round.PerSecond)]);
            var agent = Statistics.Median(row.Rounds.Select(round => round.AgentCpuUs));
            var bridge = Statistics.Median(row.Rounds.Select(round => round.BridgeCpuUs));
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"| {row.Name} | {row.Client} | {perSecond.Median:0} ({perSecond.Least:0}–{perSecond.Most:0}) "
                + $"| {times.Median:0.00} ({times.Least:0.00}–{times.Most:0.00}) "
                + $"| {agent:0} | {(row == peer ? "–" : $"{bridge:0}")} |"));
        }
    }
}
