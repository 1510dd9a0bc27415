using System.Globalization;

namespace Sc2Bridge.Cli;

/// <summary>Shows the progress of <c>sc2bridge record</c>, and its results at the end.</summary>
/// <param name="progress">The progress of the passes; each pass records one perspective of one replay.</param>
/// <param name="time">The clock.</param>
internal sealed class RecordDisplay(RecordProgress progress, TimeProvider time)
{
    private readonly Pace _doneRate = new(time);
    private readonly Pace _loopRate = new(time);

    /// <summary>The rows to show now.</summary>
    /// <param name="maxRows">The number of rows that fit.</param>
    internal IReadOnlyList<ProgressRow> Rows(int maxRows)
    {
        var (outcomes, running) = (progress.Outcomes, progress.Running);
        var done = (outcomes.Count + running.Sum(Share)) / Math.Max(1, progress.Total);
        var failed = outcomes.Count(outcome => outcome.Ending == RecordEnding.Failed);
        var loops = _loopRate.Measure(outcomes.Sum(outcome => (double)outcome.GameLoop) + running.Sum(one => (double)one.Progress.GameLoop));
        ProgressRow all = new(
            ProgressRow.TimeLeft(1 - done, _doneRate.Measure(done)), $"{outcomes.Count} of {progress.Total}{(failed > 0 ? $", {failed} failed" : "")}",
            string.Create(CultureInfo.InvariantCulture, $"{loops:N0} game loops/s"))
        {
            Done = done,
        };
        return [all, .. running.Take(maxRows - 1).Select(one => new ProgressRow(one.Pass.Name, $"game loop {one.Progress.GameLoop} of {one.Progress.TotalLoops}") { Done = Share(one) })];
    }

    /// <summary>Prints the results at the end.</summary>
    internal static void PrintSummary(TerminalConsole console, IReadOnlyList<RecordOutcome> outcomes, RecordReport report)
    {
        var table = Table(outcomes);
        if (table.Rows.Count > 0)
        {
            console.WriteLine();
            console.Write(table);
            var folders = outcomes.Select(outcome => Path.GetDirectoryName(outcome.Pass.File)).Distinct().Order();
            console.WriteLine($"recordings are in {string.Join(", ", folders)}");
        }

        console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{report.Recorded} recorded, {report.WereThere} were there, {report.Failed} failed, in {report.Seconds:0.0} s"));
    }

    /// <summary>A table with the outcome of each pass.</summary>
    internal static TextTable Table(IReadOnlyList<RecordOutcome> outcomes)
    {
        var table = new TextTable(
            "recordings", ["recording", "seen by", "result", "replay"], "game loops", "observations", "MB", "s");
        foreach (var outcome in outcomes.OrderBy(outcome => outcome.Pass.File, StringComparer.Ordinal))
        {
            var isThere = outcome.Ending is RecordEnding.Recorded or RecordEnding.WasThere;
            table.AddRow(
                outcome.Ending switch
                {
                    RecordEnding.Recorded => Path.GetFileName(outcome.Pass.File),
                    RecordEnding.WasThere => $"{Path.GetFileName(outcome.Pass.File)} (was there)",
                    RecordEnding.NoSuchPlayer => "no such player",
                    RecordEnding.Stopped => "stopped",
                    _ => "failed",
                },
                outcome.Player.Length > 0 ? outcome.Player : $"{outcome.Pass.Observe}",
                outcome.Result,
                Path.GetFileName(outcome.Pass.Replay),
                isThere ? Number(outcome.GameLoop) : "–",
                isThere ? Number(outcome.Observations) : "–",
                isThere ? (outcome.Bytes / 1e6).ToString("0.0", CultureInfo.InvariantCulture) : "–",
                outcome.Duration.TotalSeconds.ToString("0.0", CultureInfo.InvariantCulture));
        }

        return table;
    }

    private static double Share(ReplayRecorder one)
    {
        var (loop, loops) = one.Progress;
        return loops == 0 ? 0 : Math.Min(1, (double)loop / loops);
    }

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);
}
