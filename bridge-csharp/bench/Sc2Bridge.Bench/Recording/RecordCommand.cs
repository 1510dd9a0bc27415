using System.CommandLine;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>Everything that was measured; what a step takes in µs, with a recorder and without.</summary>
internal sealed record RecordReport(
    Machine Machine, int Steps, long ObservationBytes, long FileBytes, Distribution RecordedUs, Distribution BareUs)
{
    /// <summary>What the recorder adds to the middle step.</summary>
    public double AddedP50Us => RecordedUs.P50 - BareUs.P50;
}

/// <summary>
/// The command <c>record</c>: the default simulated match twice in one process, with a recorder and without, in turns
/// of some steps each; what a step takes, and the recording's bytes.
/// </summary>
internal static class RecordCommand
{
    private const double MostAddedUs = 200;
    private const double MostMegabytes = 60;

    public static Command Create()
    {
        var steps = BenchCommand.Number("--steps", "steps of the match", SimulatedMatch.Length);
        var turn = BenchCommand.Number("--turn", "steps before it is the other's turn", 60);
        var keep = OptionKinds.Text("--keep", null, "FILE", "where the recording goes, and stays");
        return BenchCommand.Create(
            "record",
            $"Recording a match: what it adds to a step, and bytes; exits with 1 past {MostAddedUs} µs or {MostMegabytes} MB.",
            [steps, turn, keep],
            async (parsed, ct) =>
            {
                using var temporary = new TemporaryFolder();
                return await MeasureAsync(
                    parsed.GetValue(keep) ?? temporary["match.mcap"], parsed.GetValue(steps), parsed.GetValue(turn), ct);
            },
            Print,
            report => report.AddedP50Us <= MostAddedUs && report.FileBytes <= MostMegabytes * 1e6);
    }

    private static async Task<RecordReport> MeasureAsync(string path, int steps, int turn, CancellationToken ct)
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
        return new RecordReport(
            machine, steps, recorded.ObservationBytes, recorded.Figures.Bytes, Distribution.Of(with)!, Distribution.Of(without)!);
    }

    private static async Task RunAsync(SteppedMatch match, List<double> times, int steps, CancellationToken ct)
    {
        for (var step = 0; step < steps; step++)
        {
            times.Add(await match.StepAsync(ct));
        }

        await match.SettleAsync(ct);
    }

    private static void Print(Output output, RecordReport report)
    {
        output.Facts(report.Machine.Facts());
        output.Line(Invariant($"{report.Steps} steps, {report.ObservationBytes / 1e6:0} MB of observations, recorded in ")
            + Invariant($"{report.FileBytes / 1e6:0.0} MB: {(double)report.ObservationBytes / report.FileBytes:0.0} times ")
            + Invariant($"fewer, {report.FileBytes / (double)report.Steps:0} bytes a step (wanted: at most {MostMegabytes} MB)"));
        var (recorded, bare) = (report.RecordedUs, report.BareUs);
        output.Table(
            $"what a step takes (wanted: at most {MostAddedUs} µs more at p50)",
            [
                ("recorded", recorded.P50, recorded.P90, recorded.P99),
                ("not recorded", bare.P50, bare.P90, bare.P99),
                ("more", recorded.P50 - bare.P50, recorded.P90 - bare.P90, recorded.P99 - bare.P99),
            ],
            ("match", row => row.Item1),
            ("p50 µs", row => Output.Whole(row.Item2)),
            ("p90 µs", row => Output.Whole(row.Item3)),
            ("p99 µs", row => Output.Whole(row.Item4)));
    }
}
