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

    public static Command Create()
    {
        var python = BenchCommand.Pythons();
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
                var interpreter = BenchCommand.Named(parsed.GetValue(python))[0];
                var options = new DeliveryOptions(
                    parsed.GetValue(rounds), parsed.GetValue(count), parsed.GetValue(trips), parsed.GetValue(rate));
                return await RunAsync(wanted, source, interpreter, options, ct);
            },
            Print);
    }

    private static async Task<DeliveryReport> RunAsync(
        List<DeliveryTarget> targets, MeasuredFrames frames, string python, DeliveryOptions options, CancellationToken ct)
    {
        var machine = Machine.Describe();
        var paced = new Phase(false, WarmUp + options.Frames, WarmUp, options.Rate);
        var answered = new Phase(true, LockstepWarmUp + options.RoundTrips, LockstepWarmUp, Rate: 0);
        List<(DeliveryTarget Target, WorkerProcess Process, string Name)> clients = [];
        try
        {
            foreach (var target in targets)
            {
                var start = PythonScripts.CreateStartInfo(python, "delivery", target.Transport, target.Address);
                var (process, hello) = await WorkerProcess.StartAsync<Hello>(start, ct);
                clients.Add((target, process, hello.Client));
            }

            var rounds = await Turns.RunAsync(clients, options.Rounds, async (client, _) =>
            {
                var oneWay = await PhaseAsync(client.Target, client.Process, paced, ct);
                var lockstep = await PhaseAsync(client.Target, client.Process, answered, ct);
                return new DeliveryRound(oneWay.LatenciesUs, lockstep.PerSecond, oneWay.MessageBytes);
            });
            var rows = clients.Zip(rounds, (client, own) => new DeliveryRow(client.Target.Name, client.Name, client.Target.Peer, own));
            return new DeliveryReport(machine, options, frames.Origin, frames.MeanLength, [.. rows]);
        }
        finally
        {
            await Task.WhenAll(clients.Select(client => client.Process.DisposeAsync().AsTask()));
        }
    }

    private static async Task<Received> PhaseAsync(
        DeliveryTarget target, WorkerProcess client, Phase phase, CancellationToken ct)
    {
        using var abandon = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var receiving = client.AskAsync<Phase, Received>(phase, abandon.Token);
        await Turns.AllAsync(abandon, target.ServeAsync(phase, abandon.Token), receiving);
        return await receiving;
    }

    private static void Print(Output output, DeliveryReport report)
    {
        var options = report.Options;
        output.Frames(report.Machine, report.Frames, report.FrameBytes);
        output.Line(Invariant($"rounds    {options.Rounds} of {options.Frames} frames at {options.Rate} a second and ")
            + Invariant($"{options.RoundTrips} lockstep round trips, the servers in turn; medians (least–most)"));
        output.Table(
            "one way and lockstep, to a client in Python",
            report.Rows,
            ("server", row => row.Name),
            ("KiB", row => Output.Kib(Statistics.Median(row.Rounds.Select(round => round.MessageBytes)))),
            ("one way p50 µs", row => Rounds(row, round => round.P50)),
            ("p99 µs", row => Output.Whole(Statistics.Median(row.Rounds.Select(round => round.P99)))),
            ("times its peer", row => Ratio(row, round => round.P50)),
            ("lockstep µs", row => Rounds(row, round => round.LockstepUs)),
            ("times its peer", row => Ratio(row, round => round.LockstepUs)));
        output.Clients(report.Rows.Select(row => (row.Client, row.Name)));

        static string Rounds(DeliveryRow row, Func<DeliveryRound, double> figure) => Output.Spread(Spread.Of(row.Rounds.Select(figure)));

        // The ratio within each round, then the middle of those: what disturbs a round disturbs both.
        string Ratio(DeliveryRow row, Func<DeliveryRound, double> figure) => Output.Fixed(
            report.Rows.Find(other => other.Name == row.Peer) is { } peer
                ? Statistics.Median(row.Rounds.Zip(peer.Rounds, (own, other) => figure(own) / figure(other)))
                : null,
            2);
    }
}
