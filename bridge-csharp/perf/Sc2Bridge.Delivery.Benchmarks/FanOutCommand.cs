using System.CommandLine;
using System.Globalization;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>One phase of the demonstration: the same game, with or without its readers.</summary>
/// <param name="Readers">Null where there were none.</param>
/// <param name="StepUs">Each step: from asking the game to holding its answer.</param>
internal sealed record FanOutPhase(ReadersResult? Readers, double[] StepUs)
{
    /// <summary>The middle step, in µs.</summary>
    public double MedianUs => Statistics.Median(StepUs);
}

/// <summary>Everything that was measured.</summary>
internal sealed record FanOutReport(
    Machine Machine, string Frames, double FrameBytes, double Rate, int Grpc, int WebSocket, List<FanOutPhase> Phases)
{
    /// <summary>The middle step of all phases with, or without, readers; in µs.</summary>
    public double MedianUs(bool with) =>
        Statistics.Median(Phases.Where(phase => phase.Readers is not null == with).SelectMany(phase => phase.StepUs));
}

/// <summary>The command <c>fan-out</c>: many readers, each of whom gets each frame, and what that costs the game.</summary>
internal static class FanOutCommand
{
    private const int WarmUp = 50;

    public static Command Create()
    {
        var seconds = new Option<double>("--seconds") { Description = "How long each phase with readers is", DefaultValueFactory = _ => 60 };
        var rounds = new Option<int>("--rounds") { Description = "Phases with readers; one without, half as long, is before each and at the end", DefaultValueFactory = _ => 2 };
        var grpc = new Option<int>("--grpc") { Description = "Readers over gRPC", DefaultValueFactory = _ => 32 };
        var web = new Option<int>("--web") { Description = "Readers over the WebSocket", DefaultValueFactory = _ => 32 };
        var rate = new Option<double>("--rate") { Description = "Steps a second", DefaultValueFactory = _ => 22.4 };
        var frames = CommonOptions.Frames();
        var json = CommonOptions.Json();
        var command = new Command("fan-out", "64 readers of one game: every one gets every frame, and the game does not notice")
        {
            seconds, rounds, grpc, web, rate, frames, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var source = await FrameSource.OpenAsync(parsed.GetValue(frames), ct);
            var report = new FanOutReport(
                Machine.Describe(), source.Origin, source.MeanLength, parsed.GetValue(rate),
                parsed.GetValue(grpc), parsed.GetValue(web), []);
            await RunAsync(report, parsed.GetValue(frames), parsed.GetValue(seconds), parsed.GetValue(rounds), ct);
            Print(report);
            await CommonOptions.WriteAsync(parsed.GetValue(json), report, ct);
            return 0;
        });
        return command;
    }

    private static async Task RunAsync(
        FanOutReport report, string? folder, double seconds, int rounds, CancellationToken ct)
    {
        var steps = (int)Math.Ceiling(seconds * report.Rate);
        await using var game = await GameProcess.StartAsync(folder, ct);
        await using var host = await BridgeHost.StartAsync(ct);
        await StepAsync(WarmUp);
        for (var round = 0; round < rounds; round++)
        {
            await WithoutAsync();
            Console.Error.WriteLine($"round {round + 1} of {rounds}: with readers");
            await using var group = await ReaderGroup.StartAsync(host, report.Grpc, report.WebSocket, steps, ct);
            var times = await StepAsync(steps);
            report.Phases.Add(new FanOutPhase(await group.Result.WaitAsync(ct), times));
            await host.EmptyAsync(ct);
        }

        await WithoutAsync();

        async Task WithoutAsync()
        {
            Console.Error.WriteLine("without readers");
            report.Phases.Add(new FanOutPhase(null, await StepAsync(steps / 2)));
        }

        async Task<double[]> StepAsync(int count)
        {
            var times = new List<double>(count);
            await Pacer.RunAsync(
                count,
                report.Rate,
                async () =>
                {
                    var frame = await game.NextAsync(ct);
                    times.Add((frame.Header.ArrivedNs - frame.Header.AskedNs) / 1000.0);
                    await host.Hub.PublishAsync(frame, ct);
                },
                ct);
            return [.. times];
        }
    }

    private static void Print(FanOutReport report)
    {
        foreach (var line in report.Machine.Lines())
        {
            Console.WriteLine(line);
        }

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"frames    {report.Frames}, {report.FrameBytes / 1024:0.0} KiB on average, {report.Rate} a second"));
        Console.WriteLine();
        Console.WriteLine("| phase | readers | steps | every reader got | step: median, µs | p99, µs | at the readers: p50, µs | p99, µs |");
        Console.WriteLine("| --- | --- | --- | --- | --- | --- | --- | --- |");
        foreach (var (phase, index) in report.Phases.Select((phase, index) => (phase, index)))
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"| {index + 1} | {phase.Readers?.Readers ?? 0} | {phase.StepUs.Length} | {phase.Readers?.FramesEach.ToString(CultureInfo.InvariantCulture) ?? "–"} | {phase.MedianUs:0} | {Statistics.Quantile(phase.StepUs, 0.99):0} | {phase.Readers?.P50Us ?? double.NaN:0} | {phase.Readers?.P99Us ?? double.NaN:0} |").Replace("NaN", "–", StringComparison.Ordinal));
        }

        var without = report.Phases.Where(phase => phase.Readers is null).Select(phase => phase.MedianUs).ToArray();
        Console.WriteLine();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"The step's median: {report.MedianUs(with: true):0} µs with readers, {report.MedianUs(with: false):0} µs without (phases without: {without.Min():0}–{without.Max():0})."));
    }
}
