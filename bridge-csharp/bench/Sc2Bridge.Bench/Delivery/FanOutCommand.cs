using System.CommandLine;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>One phase: the same game, with or without its subscribers.</summary>
/// <param name="Subscribers">Null for a phase without subscribers.</param>
/// <param name="StepUs">Each step: from asking the game to holding its answer.</param>
/// <param name="BridgeCpu">Processors that the bridge's process kept busy.</param>
internal sealed record FanOutPhase(SubscribersResult? Subscribers, double[] StepUs, double BridgeCpu);

/// <summary>Everything that was measured.</summary>
internal sealed record FanOutReport(
    Machine Machine, string Frames, double FrameBytes, double Rate, List<FanOutPhase> Phases)
{
    /// <summary>The middle step of all phases with, or without, subscribers; in µs.</summary>
    public double MedianUs(bool with) =>
        Statistics.Median(Phases.Where(phase => phase.Subscribers is not null == with).SelectMany(phase => phase.StepUs));
}

/// <summary>The command <c>fan-out</c>: the cost of many subscribers that each get every frame.</summary>
internal static class FanOutCommand
{
    public const string Name = "fan-out";

    private const int WarmUp = 50;

    public static Command Create()
    {
        var seconds = BenchCommand.Number("--seconds", "how long each phase with subscribers is", 60.0);
        var rounds = BenchCommand.Number(
            "--rounds", "phases with subscribers; one without, half as long, is before each and at the end", 2);
        var grpc = BenchCommand.Number("--grpc", "subscribers over gRPC", 32);
        var web = BenchCommand.Number("--web", "subscribers over the WebSocket", 32);
        var rate = BenchCommand.Number("--rate", "steps a second", 22.4);
        return BenchCommand.Create(
            Name,
            "64 subscribers of one game: every one gets every frame, and the game does not notice.",
            [seconds, rounds, grpc, web, rate],
            async (parsed, ct) =>
            {
                var source = MeasuredFrames.Simulate(ct);
                using var folder = source.InFolder();
                var report = new FanOutReport(
                    Machine.Describe(), source.Origin, source.MeanLength, parsed.GetValue(rate), []);
                var steps = (int)Math.Ceiling(parsed.GetValue(seconds) * report.Rate);
                var phases = (2 * parsed.GetValue(rounds)) + 1;
                for (var phase = 0; phase < phases; phase++)
                {
                    var with = phase % 2 == 1;
                    Console.Error.WriteLine($"phase {phase + 1} of {phases}");
                    report.Phases.Add(await MatchAsync(
                        $"{folder}", report.Rate, with ? steps : steps / 2, with ? parsed.GetValue(grpc) : 0,
                        with ? parsed.GetValue(web) : 0, ct));
                }

                return report;
            },
            Print);
    }

    // A match as `sc2bridge match` runs one: the game's process behind its socket, its client, the runner, the server.
    private static async Task<FanOutPhase> MatchAsync(
        string folder, double rate, int steps, int grpc, int web, CancellationToken ct)
    {
        await using var host = await BridgeHost.StartEmptyAsync(ct);
        await using var source = new StarCraftSource(new MatchSettings(), FrameGame.Launch(folder));
        List<double> stepUs = [];
        using var watch = new FrameWatch(
            host.Hub, frame => stepUs.Add((frame.Header.ObservedNs - frame.Header.RequestedNs) / 1000.0));
        var runner = new MatchRunner(source, host.Hub, StepRate.At(rate), (ulong)(WarmUp + steps));
        await runner.StartAsync(ct);
        await using var subscribers = grpc + web > 0 ? await LightSubscribers.StartAsync(host, grpc, web, ct) : null;
        var (cpu, begun) = (Environment.CpuUsage.TotalTime, MonotonicClock.NowNs);
        await BridgeHost.RunAsync(runner, ct);
        await watch.Ended;
        var busy = (Environment.CpuUsage.TotalTime - cpu).TotalNanoseconds / (MonotonicClock.NowNs - begun);
        var seen = subscribers is null ? null : await subscribers.ResultAsync(WarmUp + steps, ct);
        return new FanOutPhase(seen, [.. stepUs.Skip(WarmUp)], busy);
    }

    private static void Print(Output output, FanOutReport report)
    {
        output.Frames(report.Machine, report.Frames, report.FrameBytes);
        output.Table(
            Invariant($"at {report.Rate} steps a second; a step: from asking the game to its answer"),
            report.Phases,
            ("subscribers", phase => phase.Subscribers is { } some ? $"{some.Subscribers}" : "none"),
            ("frames each", phase => Output.Whole(phase.Subscribers?.FramesEach)),
            ("bridge CPU %", phase => Output.Fixed(phase.BridgeCpu * 100, 1)),
            ("step p50 µs", phase => Output.Whole(Statistics.Median(phase.StepUs))),
            ("p99 µs", phase => Output.Whole(Statistics.Quantile(phase.StepUs, 0.99))),
            ("subscriber p50 µs", phase => Output.Whole(phase.Subscribers?.P50Us)),
            ("p99 µs", phase => Output.Whole(phase.Subscribers?.P99Us)));
        output.Line(Invariant(
            $"with subscribers the middle step takes {report.MedianUs(true) / report.MedianUs(false):0.00} times as long"));
    }
}
