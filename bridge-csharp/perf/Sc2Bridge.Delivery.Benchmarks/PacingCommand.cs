using System.CommandLine;
using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Measuring;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>How late steps were asked for at one rate.</summary>
/// <param name="Rate">Steps a second.</param>
/// <param name="LateUs">For each step, µs from when it was due to when it was asked for, in the order of the steps.</param>
internal sealed record PacingRow(double Rate, double[] LateUs);

/// <summary>Everything that was measured.</summary>
internal sealed record PacingReport(Machine Machine, string Frames, double FrameBytes, List<PacingRow> Rows);

/// <summary>
/// The command <c>pacing</c>: a match as <c>sc2bridge match</c> runs one, without readers; a step is due a period after
/// the one before it was due, so that lateness does not add up.
/// </summary>
internal static class PacingCommand
{
    private const int WarmUp = 20;
    private static readonly double[] _rates = [16, 22.4];

    public static Command Create()
    {
        var seconds = new Option<double>("--seconds")
        {
            Description = "How long each rate is held",
            DefaultValueFactory = _ => 60,
        };
        var frames = CommonOptions.Frames();
        var json = CommonOptions.Json();
        var command = new Command("pacing", "How exactly 16 and 22.4 steps a second are kept") { seconds, frames, json };
        command.SetAction(async (parsed, ct) =>
        {
            var machine = Machine.Describe();
            var source = FrameSource.Open(parsed.GetValue(frames), ct);
            var folder = Directory.CreateTempSubdirectory("sc2bridge-pacing-");
            var rows = new List<PacingRow>();
            try
            {
                source.Save(folder.FullName);
                foreach (var rate in _rates)
                {
                    rows.Add(await MeasureAsync(rate, parsed.GetValue(seconds), folder.FullName, ct));
                }
            }
            finally
            {
                folder.Delete(recursive: true);
            }

            var report = new PacingReport(machine, source.Origin, source.MeanLength, rows);
            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
            return 0;
        });
        return command;
    }

    private static async Task<PacingRow> MeasureAsync(double rate, double seconds, string folder, CancellationToken ct)
    {
        await using var source = new TimedSource(FrameGame.Follow(folder));
        using var hub = new Hub(new HubOptions());
        var steps = WarmUp + (int)Math.Ceiling(seconds * rate);
        var runner = new MatchRunner(source, hub, StepRate.At(rate), (ulong)steps);
        await runner.StartAsync(ct);
        var end = await runner.RunAsync(ct);
        if (end.Aborted)
        {
            throw new MeasuringException(end.Reason);
        }

        // The grid that the runner keeps to begins with the first step.
        var late = source.RequestedNs.Select((asked, step) => (asked - source.RequestedNs[0] - (step * 1e9 / rate)) / 1000);
        return new PacingRow(rate, [.. late.Skip(WarmUp)]);
    }

    private static void Print(PacingReport report)
    {
        Console.WriteLine(report.Machine.Text);

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"frames    {report.Frames}, {report.FrameBytes / 1024:0.0} KiB on average"));
        Console.WriteLine();
        Console.WriteLine("| steps a second | steps | late: p50, µs | p99, µs | most, µs |");
        Console.WriteLine("| --- | --- | --- | --- | --- |");
        foreach (var row in report.Rows)
        {
            var p50 = Statistics.Quantile(row.LateUs, 0.5);
            var p99 = Statistics.Quantile(row.LateUs, 0.99);
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"| {row.Rate} | {row.LateUs.Length} | {p50:0} | {p99:0} | {row.LateUs.Max():0} |"));
        }
    }
}
