using System.CommandLine;
using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Measuring;
using Sc2Bridge.Streaming;

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

/// <summary>
/// The command <c>fan-out</c>: many readers, each of whom gets each frame, and what that costs the game.
/// </summary>
internal static class FanOutCommand
{
    private const int WarmUp = 50;

    public static Command Create()
    {
        var seconds = CommonOptions.Number("--seconds", "How long each phase with readers is", 60.0);
        var rounds = CommonOptions.Number(
            "--rounds", "Phases with readers; one without, half as long, is before each and at the end", 2);
        var grpc = CommonOptions.Number("--grpc", "Readers over gRPC", 32);
        var web = CommonOptions.Number("--web", "Readers over the WebSocket", 32);
        var rate = CommonOptions.Number("--rate", "Steps a second", 22.4);
        var frames = CommonOptions.Frames();
        var json = CommonOptions.Json();
        var command = new Command(
            "fan-out", "64 readers of one game: every one gets every frame, and the game does not notice")
        {
            seconds, rounds, grpc, web, rate, frames, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var source = FrameSource.Open(parsed.GetValue(frames), ct);
            var report = new FanOutReport(
                Machine.Describe(), source.Origin, source.MeanLength, parsed.GetValue(rate),
                parsed.GetValue(grpc), parsed.GetValue(web), []);
            await RunAsync(report, source, parsed.GetValue(seconds), parsed.GetValue(rounds), ct);
            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
            return 0;
        });
        return command;
    }

    private static async Task RunAsync(
        FanOutReport report, MeasuredFrames frames, double seconds, int rounds, CancellationToken ct)
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-fan-out-");
        try
        {
            frames.Save(folder.FullName);
            var steps = (int)Math.Ceiling(seconds * report.Rate);
            for (var round = 0; round < rounds; round++)
            {
                Console.Error.WriteLine($"round {round + 1} of {rounds}");
                report.Phases.Add(await MatchAsync(report, folder.FullName, steps / 2, withReaders: false, ct));
                report.Phases.Add(await MatchAsync(report, folder.FullName, steps, withReaders: true, ct));
            }

            report.Phases.Add(await MatchAsync(report, folder.FullName, steps / 2, withReaders: false, ct));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    // A match as `sc2bridge match` runs one: the game's process behind its socket, its client, the runner, the server.
    private static async Task<FanOutPhase> MatchAsync(
        FanOutReport report, string folder, int steps, bool withReaders, CancellationToken ct)
    {
        await using var host = await BridgeHost.StartEmptyAsync(ct);
        await using var source = new TimedSource(FrameGame.Follow(folder));
        var runner = new MatchRunner(source, host.Hub, StepRate.At(report.Rate), (ulong)(WarmUp + steps));
        await runner.StartAsync(ct);
        await using var group = withReaders
            ? await ReaderGroup.StartAsync(host, report.Grpc, report.WebSocket, WarmUp + steps, ct)
            : null;
        var end = await runner.RunAsync(ct);
        if (end.Aborted)
        {
            throw new MeasuringException(end.Reason);
        }

        var seen = group is null ? null : await group.Result.WaitAsync(ct);
        return new FanOutPhase(seen, [.. source.StepUs.Skip(WarmUp)]);
    }

    private static void Print(FanOutReport report)
    {
        Console.WriteLine(report.Machine.Text);

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"frames    {report.Frames}, {report.FrameBytes / 1024:0.0} KiB on average, {report.Rate} a second"));
        Console.WriteLine();
        Console.WriteLine(
            "| phase | readers | steps | every reader got | step: median, µs | p99, µs "
            + "| at the readers: p50, µs | p99, µs |");
        Console.WriteLine("| --- | --- | --- | --- | --- | --- | --- | --- |");
        foreach (var (phase, index) in report.Phases.Select((phase, index) => (phase, index)))
        {
            var seen = phase.Readers;
            string[] cells =
            [
                Text(index + 1), Text(seen?.Readers ?? 0), Text(phase.StepUs.Length), Text(seen?.FramesEach),
                Text(phase.MedianUs), Text(Statistics.Quantile(phase.StepUs, 0.99)),
                Text(seen?.P50Us), Text(seen?.P99Us),
            ];
            Console.WriteLine($"| {string.Join(" | ", cells)} |");
        }

        var without = report.Phases.Where(phase => phase.Readers is null).Select(phase => phase.MedianUs).ToArray();
        Console.WriteLine();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"The step's median: {report.MedianUs(with: true):0} µs with readers, "
            + $"{report.MedianUs(with: false):0} µs without (phases without: {without.Min():0}–{without.Max():0})."));
    }

    private static string Text(double? value) => value?.ToString("0", CultureInfo.InvariantCulture) ?? "–";
}
