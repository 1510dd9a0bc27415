using System.CommandLine;
using System.Globalization;

namespace Sc2Bridge.Recording.Benchmarks;

/// <summary>
/// The command <c>record</c>: the default simulated match twice in one process, with a recorder and without, in turns
/// of some steps each; what a step takes, and the recording's bytes.
/// </summary>
internal static class RecordCommand
{
    private const double MostAddedMs = 0.2;
    private const double MostMegabytes = 60;

    public static Command Create()
    {
        var steps = new Option<int>("--steps")
        {
            Description = "Steps of the match; default: all",
            DefaultValueFactory = _ => MatchSteps.MatchLength,
        };
        var turn = new Option<int>("--turn")
        {
            Description = "Steps before it is the other's turn",
            DefaultValueFactory = _ => 60,
        };
        var keep = new Option<FileInfo?>("--keep") { Description = "Where the recording goes, and stays" };
        var json = new Option<FileInfo?>("--json") { Description = "A file that gets the results" };
        var command = new Command(
            "record",
            $"Recording a match: bytes on disk, and what it adds to a step; exits with 1 past {MostAddedMs} ms or "
            + $"{MostMegabytes} MB")
        {
            steps, turn, keep, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var kept = parsed.GetValue(keep)?.FullName;
            var path = kept ?? Path.GetTempFileName();
            try
            {
                var report = await MeasureAsync(path, parsed.GetValue(steps), parsed.GetValue(turn), ct);
                Print(report);
                await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
                return report.AddedMs.P50 <= MostAddedMs && report.FileBytes <= MostMegabytes * 1e6 ? 0 : 1;
            }
            finally
            {
                if (kept is null)
                {
                    File.Delete(path);
                }
            }
        });
        return command;
    }

    private static async Task<Report> MeasureAsync(string path, int steps, int turn, CancellationToken ct)
    {
        var machine = Machine.Describe();
        using var recorded = new SteppedMatch(path);
        using var bare = new SteppedMatch(null);
        var (with, without) = (new List<double>(steps), new List<double>(steps));
        for (var done = 0; done < steps; done += turn)
        {
            // Each goes first as often as the other.
            var now = Math.Min(turn, steps - done);
            var isEven = done / turn % 2 == 0;
            await RunAsync(isEven ? recorded : bare, isEven ? with : without, now, ct);
            await RunAsync(isEven ? bare : recorded, isEven ? without : with, now, ct);
        }

        await recorded.EndAsync();
        await bare.EndAsync();
        var figures = recorded.Figures;
        if (figures.Observations != steps || figures.Problem is not null)
        {
            throw new MeasuringException($"{figures.Observations} of {steps} steps were recorded: {figures.Problem}");
        }

        var (before, after) = (Quantiles.Of(without), Quantiles.Of(with));
        return new Report(
            machine, steps, recorded.ObservationBytes, figures.Bytes, after, before,
            new Quantiles(after.P50 - before.P50, after.P90 - before.P90, after.P99 - before.P99));
    }

    private static async Task RunAsync(SteppedMatch match, List<double> times, int steps, CancellationToken ct)
    {
        for (var step = 0; step < steps; step++)
        {
            times.Add(await match.StepAsync(ct));
        }

        await match.SettleAsync(ct);
    }

    private static void Print(Report report)
    {
        Console.WriteLine(report.Machine.Text);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{report.Steps} steps, {report.ObservationBytes / 1e6:0} MB of observations, recorded in "
            + $"{report.FileBytes / 1e6:0.0} MB: {(double)report.ObservationBytes / report.FileBytes:0.0} times fewer, "
            + $"{report.FileBytes / (double)report.Steps:0} bytes a step (at most {MostMegabytes:0} MB are wanted)"));
        Console.WriteLine();
        Console.WriteLine("| a step takes, ms | p50 | p90 | p99 |");
        Console.WriteLine("| --- | --- | --- | --- |");
        Row("recorded", report.RecordedMs);
        Row("not recorded", report.BareMs);
        Row(string.Create(CultureInfo.InvariantCulture, $"more (at most {MostAddedMs} at p50)"), report.AddedMs);

        static void Row(string name, Quantiles times) => Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"| {name} | {times.P50:0.000} | {times.P90:0.000} | {times.P99:0.000} |"));
    }

    /// <summary>Of the time of a step, in milliseconds.</summary>
    private readonly record struct Quantiles(double P50, double P90, double P99)
    {
        public static Quantiles Of(List<double> times) => new(
            Statistics.Quantile(times, 0.5), Statistics.Quantile(times, 0.9), Statistics.Quantile(times, 0.99));
    }

    /// <summary>Everything that was measured.</summary>
    private sealed record Report(
        Machine Machine, int Steps, long ObservationBytes, long FileBytes, Quantiles RecordedMs, Quantiles BareMs,
        Quantiles AddedMs);
}
