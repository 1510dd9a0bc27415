using System.CommandLine;
using Sc2Bridge.Games;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>One way to the game, over all rounds.</summary>
/// <param name="Way">Which.</param>
/// <param name="Bytes">The mean size of an observation's answer.</param>
/// <param name="ObservationUs">What each observation took the bot, in µs.</param>
/// <param name="StepUs">What each step with its observation took, in µs.</param>
internal sealed record ProxyRow(string Way, double Bytes, List<double> ObservationUs, List<double> StepUs);

/// <summary>Everything that was measured.</summary>
/// <param name="Machine">On what.</param>
/// <param name="Frames">What was observed.</param>
/// <param name="FrameBytes">Its mean size.</param>
/// <param name="Rows">The game alone first.</param>
internal sealed record ProxyTimes(Machine Machine, string Frames, double FrameBytes, List<ProxyRow> Rows);

/// <summary>
/// The command <c>proxy</c>: what the bridge adds to a bot's observations that plays through it. The same bot steps and
/// observes back to back, at a game of its own and through the bridge at another, turn by turn in one run.
/// </summary>
internal static class ProxyCommand
{
    private const double GoalMs = 0.3;
    private const int WarmUp = 400;

    public static Command Create()
    {
        var rounds = BenchCommand.Number("--rounds", "how often each way has its turn", 20);
        var steps = BenchCommand.Number("--steps", "steps in a turn", 100);
        var frames = BenchCommand.Frames();
        return BenchCommand.Create(
            "proxy",
            "What the bridge adds to the observations of a bot that plays through it.",
            [rounds, steps, frames],
            (parsed, ct) =>
            {
                var source = MeasuredFrames.Open(parsed.GetValue(frames), ct);
                var report = new ProxyTimes(Machine.Describe(), source.Origin, source.MeanLength, []);
                return source.InFolderAsync(async folder =>
                {
                    await RunAsync(report, folder, parsed.GetValue(rounds), parsed.GetValue(steps), ct);
                    return report;
                });
            },
            Print);
    }

    private static async Task RunAsync(ProxyTimes report, string folder, int rounds, int steps, CancellationToken ct)
    {
        await using var game = GameProcess.Start(FrameGame.Launch(folder));
        await using var alone = await SteppingBot.JoinAsync(
            new Uri(Invariant($"ws://127.0.0.1:{game.Address.Port}/sc2api")), create: true, ct);
        var (plain, plainAddress) = await ProxyHost.StartAsync(folder, null, ct);
        await using var plainProcess = plain;
        await using var bridged = await SteppingBot.JoinAsync(plainAddress, create: false, ct);
        var (recorded, recordedAddress) = await ProxyHost.StartAsync(folder, Path.Combine(folder, "match.mcap"), ct);
        await using var recordedProcess = recorded;
        await using var recording = await SteppingBot.JoinAsync(recordedAddress, create: false, ct);

        (string Way, SteppingBot Bot)[] ways =
            [("the game alone", alone), ("through the bridge", bridged), ("through the bridge, recorded", recording)];
        foreach (var (_, bot) in ways)
        {
            await bot.PlayAsync(WarmUp, keep: false, ct);
        }

        for (var round = 0; round < rounds; round++)
        {
            Console.Error.WriteLine($"round {round + 1} of {rounds}");

            // Not always the same one first behind the same one.
            foreach (var (_, bot) in round % 2 == 0 ? ways : ways.Reverse())
            {
                await bot.PlayAsync(steps, keep: true, ct);
            }
        }

        report.Rows.AddRange(ways.Select(one =>
            new ProxyRow(one.Way, one.Bot.MeanBytes, one.Bot.ObservationUs, one.Bot.StepUs)));
    }

    private static void Print(Output output, ProxyTimes report)
    {
        output.Machine(report.Machine);
        output.Frames(report.Frames, report.FrameBytes);
        var table = new TextTable(
            "an observation, and a step with its observation, as the bot waits for them", ["way"],
            "p50 ms", "added", "p99 ms", "added", "step p50 ms", "added");
        var alone = report.Rows[0];
        foreach (var row in report.Rows)
        {
            table.Add(
                [
                    row.Way, .. Cells(row.ObservationUs, alone.ObservationUs, 0.5),
                    .. Cells(row.ObservationUs, alone.ObservationUs, 0.99), .. Cells(row.StepUs, alone.StepUs, 0.5),
                ]);
        }

        output.Table(table);
        output.Line(Invariant($"the bridge adds {Added(report.Rows[1].ObservationUs, alone.ObservationUs, 0.5) / 1e3:0.000} ")
            + Invariant($"ms at p50 to an observation (wanted: at most {GoalMs})"));
    }

    private static string[] Cells(List<double> us, List<double> alone, double fraction) =>
    [
        Output.Ms(Statistics.Quantile(us, fraction)),
        Output.Ms(us == alone ? null : Added(us, alone, fraction)),
    ];

    private static double Added(List<double> us, List<double> alone, double fraction) =>
        Statistics.Quantile(us, fraction) - Statistics.Quantile(alone, fraction);
}
