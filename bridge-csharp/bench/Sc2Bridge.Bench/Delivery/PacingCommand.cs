using System.CommandLine;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

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

    public static Command Create()
    {
        var seconds = BenchCommand.Number("--seconds", "how long each rate is held", 60.0);
        var frames = BenchCommand.Frames();
        return BenchCommand.Create(
            "pacing",
            "How exactly 16 and 22.4 steps a second are kept.",
            [seconds, frames],
            (parsed, ct) =>
            {
                var source = MeasuredFrames.Open(parsed.GetValue(frames), ct);
                var report = new PacingReport(Machine.Describe(), source.Origin, source.MeanLength, []);
                return source.InFolderAsync(async folder =>
                {
                    foreach (var rate in (double[])[16, 22.4])
                    {
                        report.Rows.Add(await MeasureAsync(rate, parsed.GetValue(seconds), folder, ct));
                    }

                    return report;
                });
            },
            Print);
    }

    private static async Task<PacingRow> MeasureAsync(double rate, double seconds, string folder, CancellationToken ct)
    {
        await using var source = new TimedSource(folder);
        using var hub = new Hub(new HubOptions());
        var runner = new MatchRunner(source, hub, StepRate.At(rate), (ulong)(WarmUp + Math.Ceiling(seconds * rate)));
        await runner.StartAsync(ct);
        await BridgeHost.RunAsync(runner, ct);

        // The grid that the runner keeps to begins with the first step.
        var late = source.RequestedNs.Select((asked, step) => (asked - source.RequestedNs[0] - (step * 1e9 / rate)) / 1000);
        return new PacingRow(rate, [.. late.Skip(WarmUp)]);
    }

    private static void Print(Output output, PacingReport report)
    {
        output.Machine(report.Machine);
        output.Frames(report.Frames, report.FrameBytes);
        var table = new TextTable(
            "how late a step is asked for", ["steps a second"], "steps", "p50 µs", "p99 µs", "most µs");
        foreach (var row in report.Rows)
        {
            table.Add(
                Output.Fixed(row.Rate, 1), Output.Whole(row.LateUs.Length), Output.Whole(Statistics.Quantile(row.LateUs, 0.5)),
                Output.Whole(Statistics.Quantile(row.LateUs, 0.99)), Output.Whole(row.LateUs.Max()));
        }

        output.Table(table);
    }
}
