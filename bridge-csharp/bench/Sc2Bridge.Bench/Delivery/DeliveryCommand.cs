using System.CommandLine;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>How the benchmark runs.</summary>
/// <param name="Rounds">How often each target is measured.</param>
/// <param name="Frames">Frames of a round at the rate, after the warm-up.</param>
/// <param name="RoundTrips">Lockstep round trips of a round, after the warm-up.</param>
/// <param name="Rate">Frames a second.</param>
internal sealed record DeliveryOptions(int Rounds, int Frames, int RoundTrips, double Rate);

/// <summary>What a target gave in one round.</summary>
/// <param name="OneWayUs">Of each frame, from its stamp to the client holding it.</param>
/// <param name="LockstepPerSecond">Frames and their answers.</param>
/// <param name="MessageBytes">The mean message, as the client's library gave it.</param>
internal sealed record DeliveryRound(double[] OneWayUs, double LockstepPerSecond, double MessageBytes)
{
    /// <summary>The middle one way, in µs.</summary>
    public double P50 => Statistics.Quantile(OneWayUs, 0.50);

    /// <summary>What one in a hundred exceeds, in µs.</summary>
    public double P99 => Statistics.Quantile(OneWayUs, 0.99);

    /// <summary>A frame and its answer, in µs.</summary>
    public double LockstepUs => 1e6 / LockstepPerSecond;
}

/// <summary>A target and its rounds, in their order.</summary>
internal sealed record DeliveryRow(string Name, string Client, string? Peer, List<DeliveryRound> Rounds);

/// <summary>Everything that was measured.</summary>
internal sealed record DeliveryReport(
    Machine Machine, DeliveryOptions Options, string Frames, double FrameBytes, List<DeliveryRow> Rows);

/// <summary>
/// The command <c>delivery</c>: all targets in one run, a round of each in turn, so that what disturbs one disturbs all.
/// </summary>
internal static class DeliveryCommand
{
    private const int WarmUp = 10;
    private const int LockstepWarmUp = 100;

    private sealed record Received(double[] LatenciesUs, double PerSecond, double MessageBytes);

    private sealed record Hello(string Client);

    public static Command Create()
    {
        var python = BenchCommand.Python();
        var rounds = BenchCommand.Number("--rounds", "rounds of each server", 7);
        var count = BenchCommand.Number("--count", "frames of a round at the rate", 90);
        var trips = BenchCommand.Number("--round-trips", "lockstep round trips of a round", 2000);
        var rate = BenchCommand.Number("--rate", "frames a second", 22.4);
        var only = new Option<string[]>("--only") { HelpName = "WORD", Description = "only servers whose name has this" };
        return BenchCommand.Create(
            "delivery",
            "One way and lockstep, to Python: raw TCP, bare Kestrel handlers, the bridge with and without TLS.",
            [python, rounds, count, trips, rate, only],
            async (parsed, ct) =>
            {
                var source = MeasuredFrames.Simulate(ct);
                await using var targets = await DeliveryTargets.StartAsync(source, ct);
                var words = parsed.GetValue(only) ?? [];
                var wanted = targets.All.Where(target => words.Length == 0 || words.Any(target.Name.Contains)).ToList();
                Console.Error.WriteLine($"metrics at {targets.Metrics}");
                var interpreter = PythonInterpreter.Find(parsed.GetValue(python));
                var options = new DeliveryOptions(
                    parsed.GetValue(rounds), parsed.GetValue(count), parsed.GetValue(trips), parsed.GetValue(rate));
                return await RunAsync(wanted, source, interpreter, options, ct);
            },
            Print);
    }

    private static async Task<DeliveryReport> RunAsync(
        List<DeliveryTarget> targets, MeasuredFrames frames, string python, DeliveryOptions options, CancellationToken ct)
    {
        var report = new DeliveryReport(Machine.Describe(), options, frames.Origin, frames.MeanLength, []);
        var clients = new List<WorkerProcess>();
        try
        {
            foreach (var target in targets)
            {
                var start = PythonScripts.Start(python, "delivery", target.Transport, target.Address);
                var (client, hello) = await WorkerProcess.StartAsync<Hello>(start, ct);
                clients.Add(client);
                report.Rows.Add(new DeliveryRow(target.Name, hello.Client, target.Peer, []));
            }

            // The first round meets cold code and is not kept.
            for (var round = 0; round <= options.Rounds; round++)
            {
                Console.Error.WriteLine(round == 0 ? "warming up" : $"round {round} of {options.Rounds}");
                for (var index = 0; index < targets.Count; index++)
                {
                    var paced = new Phase(false, WarmUp + options.Frames, WarmUp, options.Rate);
                    var answered = new Phase(true, LockstepWarmUp + options.RoundTrips, LockstepWarmUp, Rate: 0);
                    var oneWay = await PhaseAsync(targets[index], clients[index], paced, ct);
                    var lockstep = await PhaseAsync(targets[index], clients[index], answered, ct);
                    if (round > 0)
                    {
                        report.Rows[index].Rounds.Add(new DeliveryRound(oneWay.LatenciesUs, lockstep.PerSecond, oneWay.MessageBytes));
                    }
                }
            }

            return report;
        }
        finally
        {
            await Task.WhenAll(clients.Select(client => client.DisposeAsync().AsTask()));
        }
    }

    private static async Task<Received> PhaseAsync(
        DeliveryTarget target, WorkerProcess client, Phase phase, CancellationToken ct)
    {
        using var abandon = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var serving = target.ServeAsync(phase, abandon.Token);
        var receiving = client.AskAsync<Phase, Received>(phase, abandon.Token);

        // Whichever fails first says why; the other would wait for ever.
        if (await Task.WhenAny(serving, receiving) is { IsCompletedSuccessfully: false } failed)
        {
            await abandon.CancelAsync();
            await failed;
        }

        await serving;
        return await receiving;
    }

    private static void Print(Output output, DeliveryReport report)
    {
        var options = report.Options;
        output.Frames(report.Machine, report.Frames, report.FrameBytes);
        output.Line(Invariant($"rounds    {options.Rounds} of {options.Frames} frames at {options.Rate} a second and ")
            + Invariant($"{options.RoundTrips} lockstep round trips, the servers in turn; medians (least–most)"));
        var table = new TextTable(
            "one way and lockstep, to a client in Python", ["server"],
            "KiB", "one way p50 µs", "p99 µs", "times its peer", "lockstep µs", "times its peer");
        foreach (var row in report.Rows)
        {
            var peer = report.Rows.Find(other => other.Name == row.Peer);
            table.Add(
                row.Name,
                Output.Kib(Statistics.Median(row.Rounds.Select(round => round.MessageBytes))),
                Rounds(row, round => round.P50),
                Output.Whole(Statistics.Median(row.Rounds.Select(round => round.P99))),
                Ratio(row, peer, round => round.P50),
                Rounds(row, round => round.LockstepUs),
                Ratio(row, peer, round => round.LockstepUs));
        }

        output.Table(table);
        foreach (var clients in report.Rows.GroupBy(row => row.Client))
        {
            output.Line($"{clients.Key}: {string.Join("; ", clients.Select(row => row.Name))}");
        }
    }

    private static string Rounds(DeliveryRow row, Func<DeliveryRound, double> figure) =>
        Output.Spread(Spread.Of([.. row.Rounds.Select(figure)]));

    // The ratio within each round, then the middle of those: what disturbs a round disturbs both.
    private static string Ratio(DeliveryRow row, DeliveryRow? peer, Func<DeliveryRound, double> figure) => Output.Fixed(
        peer is null ? null : Statistics.Median(row.Rounds.Zip(peer.Rounds, (own, other) => figure(own) / figure(other))),
        2);
}
