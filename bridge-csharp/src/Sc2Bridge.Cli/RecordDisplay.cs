using System.Globalization;

namespace Sc2Bridge.Cli;

/// <summary>The progress of the recordings that are being made, and the table at the end.</summary>
/// <param name="board">The progress of each.</param>
/// <param name="time">The clock.</param>
internal sealed class RecordDisplay(RecordBoard board, TimeProvider time)
{
    private readonly Pace _done = new(time);
    private readonly Pace _loops = new(time);

    /// <summary>What is shown now.</summary>
    /// <param name="most">Rows that fit.</param>
    internal IReadOnlyList<ProgressRow> Rows(int most)
    {
        var (outcomes, running) = (board.Outcomes, board.Running);
        var done = (outcomes.Count + running.Sum(Share)) / Math.Max(1, board.Total);
        var failed = outcomes.Count(outcome => outcome.Ending == RecordEnding.Failed);
        var loops = _loops.Measure(outcomes.Sum(outcome => (double)outcome.GameLoop) + running.Sum(one => (double)one.Progress.GameLoop));
        ProgressRow all = new(
            ProgressRow.Left(1 - done, _done.Measure(done)), $"{outcomes.Count} of {board.Total}{(failed > 0 ? $", {failed} failed" : "")}",
            string.Create(CultureInfo.InvariantCulture, $"{loops:N0} game loops/s"))
        {
            Done = done,
        };
        return [all, .. running.Take(most - 1).Select(one => new ProgressRow(one.Pass.Name, $"game loop {one.Progress.GameLoop} of {one.Progress.Loops}") { Done = Share(one) })];
    }

    /// <summary>The table at the end.</summary>
    internal static void Conclude(TerminalConsole console, IReadOnlyList<RecordOutcome> outcomes, RecordReport report)
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

    /// <summary>What became of each.</summary>
    internal static TextTable Table(IReadOnlyList<RecordOutcome> outcomes)
    {
        var table = new TextTable(
            "recordings", ["recording", "seen by", "result", "replay"], "game loops", "observations", "MB", "s");
        foreach (var outcome in outcomes.OrderBy(outcome => outcome.Pass.File, StringComparer.Ordinal))
        {
            var isThere = outcome.Ending is RecordEnding.Recorded or RecordEnding.WasThere;
            table.Add(
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
