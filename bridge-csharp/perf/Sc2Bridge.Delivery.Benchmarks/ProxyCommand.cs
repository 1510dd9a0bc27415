using System.CommandLine;
using System.Globalization;
using System.Text.RegularExpressions;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>One way to the game, over all rounds.</summary>
/// <param name="Way">Which.</param>
/// <param name="Bytes">The mean size of an observation's answer.</param>
/// <param name="ObservationUs">What each observation took the bot, in µs.</param>
/// <param name="StepUs">What each step with its observation took, in µs.</param>
internal sealed record ProxyRow(string Way, double Bytes, List<double> ObservationUs, List<double> StepUs);

/// <summary>Everything that was measured.</summary>
/// <param name="Machine">On what.</param>
/// <param name="Frames">What was observed.</param>
/// <param name="Rows">The game alone first.</param>
internal sealed record ProxyReport(Machine Machine, string Frames, List<ProxyRow> Rows);

/// <summary>
/// The command <c>proxy</c>: what the bridge adds to a bot's observations that plays through it. The same bot steps and
/// observes back to back, at a game of its own and through the bridge at another, turn by turn in one run.
/// </summary>
internal static partial class ProxyCommand
{
    private const double GoalMs = 0.3;
    private const int WarmUp = 400;

    public static Command Create()
    {
        var rounds = CommonOptions.Number("--rounds", "How often each way has its turn", 20);
        var steps = CommonOptions.Number("--steps", "Steps in a turn", 100);
        var frames = CommonOptions.Frames();
        var json = CommonOptions.Json();
        var command = new Command("proxy", "What the bridge adds to the observations of a bot that plays through it")
        {
            rounds, steps, frames, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var measured = FrameSource.Open(parsed.GetValue(frames), ct);
            var report = new ProxyReport(Machine.Describe(), measured.Origin, []);
            var folder = Directory.CreateTempSubdirectory("sc2bridge-proxy-");
            try
            {
                measured.Save(folder.FullName);
                await RunAsync(report, folder.FullName, parsed.GetValue(rounds), parsed.GetValue(steps), ct);
            }
            finally
            {
                folder.Delete(recursive: true);
            }

            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
            return 0;
        });
        return command;
    }

    private static async Task RunAsync(ProxyReport report, string folder, int rounds, int steps, CancellationToken ct)
    {
        string[] frames = ["-observations", folder, "-observationsRepeat", "-quitWhenAlone"];
        (string Way, bool Create, string[] Process)[] ways =
        [
            ("the game alone", true, ["simulate", "-listen", "127.0.0.1", "-port", "0", .. frames]),
            ("through the bridge", false, ["proxy-host", folder]),
            ("through the bridge, recorded", false, ["proxy-host", folder, Path.Combine(folder, "match.mcap")]),
        ];
        var peers = new List<Peer>();
        try
        {
            foreach (var (way, create, process) in ways)
            {
                var peer = await Peer.StartAsync(process, create, ct);
                peers.Add(peer);
                await peer.Bot.PlayAsync(WarmUp, keep: false, ct);
                report.Rows.Add(new ProxyRow(way, 0, peer.Bot.ObservationUs, peer.Bot.StepUs));
            }

            for (var round = 0; round < rounds; round++)
            {
                Console.Error.WriteLine($"round {round + 1} of {rounds}");

                // Not always the same one first behind the same one.
                foreach (var peer in round % 2 == 0 ? peers : Enumerable.Reverse(peers))
                {
                    await peer.Bot.PlayAsync(steps, keep: true, ct);
                }
            }

            for (var index = 0; index < peers.Count; index++)
            {
                report.Rows[index] = report.Rows[index] with { Bytes = peers[index].Bot.MeanBytes };
            }
        }
        finally
        {
            foreach (var peer in peers)
            {
                await peer.DisposeAsync();
            }
        }
    }

    private static void Print(ProxyReport report)
    {
        Console.WriteLine(report.Machine.Text);
        Console.WriteLine($"frames    {report.Frames}");
        Console.WriteLine();
        Console.WriteLine(
            "| way | observations | KiB | p50, ms | added | p99, ms | added | step and observation: p50, ms | added |");
        Console.WriteLine("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        var alone = report.Rows[0];
        foreach (var row in report.Rows)
        {
            string[] cells =
            [
                row.Way,
                row.ObservationUs.Count.ToString(CultureInfo.InvariantCulture),
                (row.Bytes / 1024).ToString("0.0", CultureInfo.InvariantCulture),
                .. Cells(row.ObservationUs, alone.ObservationUs, 0.5),
                .. Cells(row.ObservationUs, alone.ObservationUs, 0.99),
                .. Cells(row.StepUs, alone.StepUs, 0.5),
            ];
            Console.WriteLine($"| {string.Join(" | ", cells)} |");
        }

        var added = Added(report.Rows[1].ObservationUs, alone.ObservationUs, 0.5);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"\nThe bridge adds {added:0.000} ms at p50 to an observation (wanted: at most {GoalMs})."));
    }

    private static string[] Cells(List<double> us, List<double> alone, double fraction) =>
    [
        (Statistics.Quantile(us, fraction) / 1e3).ToString("0.000", CultureInfo.InvariantCulture),
        us == alone ? "–" : Added(us, alone, fraction).ToString("0.000", CultureInfo.InvariantCulture),
    ];

    private static double Added(List<double> us, List<double> alone, double fraction) =>
        (Statistics.Quantile(us, fraction) - Statistics.Quantile(alone, fraction)) / 1e3;

    [GeneratedRegex(@"ws://127\.0\.0\.1:\d+/sc2api|port (\d+)")]
    private static partial Regex AddressPattern();

    /// <summary>A process, and the bot that is connected to it.</summary>
    private sealed class Peer(OwnProcess process, SteppingBot bot) : IAsyncDisposable
    {
        public SteppingBot Bot => bot;

        public static async Task<Peer> StartAsync(string[] arguments, bool create, CancellationToken ct)
        {
            var process = OwnProcess.Start(arguments);
            try
            {
                return new Peer(process, await SteppingBot.JoinAsync(await AddressAsync(process, ct), create, ct));
            }
            catch
            {
                await process.DisposeAsync();
                throw;
            }
        }

        public async ValueTask DisposeAsync()
        {
            await bot.DisposeAsync();
            await process.DisposeAsync();
        }

        private static async Task<Uri> AddressAsync(OwnProcess process, CancellationToken ct)
        {
            Match found;
            do
            {
                found = AddressPattern().Match(await process.ReadLineAsync(ct));
            }
            while (!found.Success);
            return new Uri(found.Groups[1].Success ? $"ws://127.0.0.1:{found.Groups[1].Value}/sc2api" : found.Value);
        }
    }
}
