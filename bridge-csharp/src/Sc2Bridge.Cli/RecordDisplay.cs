using System.Globalization;
using Spectre.Console;

namespace Sc2Bridge.Cli;

/// <summary>
/// Shows how recordings are made: a live table on a terminal, elsewhere a plain line for each that is done; and a table
/// of all of them at the end.
/// </summary>
internal sealed class RecordDisplay(TerminalConsole console, RecordBoard board)
{
    private const int BarWidth = 20;

    // Of how far each is there is a line every half minute.
    private const int LooksALine = 60;
    private static readonly TimeSpan LookPeriod = TimeSpan.FromMilliseconds(500);
    private int _told;

    /// <summary>Shows it until it is cancelled.</summary>
    internal async Task RunAsync(CancellationToken ended)
    {
        if (console.HasLiveTables)
        {
            await console.ShowAsync(Table, clears: true, ended);
            return;
        }

        bool isLast;
        var looks = 0;
        do
        {
            await TerminalConsole.WaitAsync(LookPeriod, ended);
            isLast = ended.IsCancellationRequested;
            Tell();
            if (++looks % LooksALine == 0 && !isLast)
            {
                console.WriteLine(
                    string.Join("; ", board.Running.Select(one => $"{one.Pass.Name} {Percent(one):0} %")));
            }
        }
        while (!isLast);
    }

    /// <summary>The table at the end.</summary>
    internal static void Conclude(TerminalConsole console, IReadOnlyList<RecordOutcome> outcomes, TimeSpan duration)
    {
        var table = Table(outcomes);
        if (table.Rows.Count > 0)
        {
            console.WriteLine();
            console.Write(table);
            var folders = outcomes.Select(outcome => Path.GetDirectoryName(outcome.Pass.File)).Distinct().Order();
            console.WriteLine($"recordings are in {string.Join(", ", folders)}");
        }

        string[] parts =
        [
            $"{Count(RecordEnding.Recorded)} recorded",
            $"{Count(RecordEnding.WasThere)} were there",
            $"{Count(RecordEnding.Failed)} failed",
        ];
        console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{string.Join(", ", parts)}, in {duration.TotalSeconds:0.0} s"));

        int Count(RecordEnding ending) => outcomes.Count(outcome => outcome.Ending == ending);
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

    private static double Percent(ReplayRecorder one)
    {
        var (loop, loops) = one.Progress;
        return loops == 0 ? 0 : Math.Min(100, 100.0 * loop / loops);
    }

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);

    private void Tell()
    {
        var outcomes = board.Outcomes;
        for (; _told < outcomes.Count; _told++)
        {
            console.WriteLine($"{_told + 1} of {board.Total}: {outcomes[_told].Line()}");
        }
    }

    private TextTable Table()
    {
        var outcomes = board.Outcomes;
        var failed = outcomes.Count(outcome => outcome.Ending == RecordEnding.Failed);
        var table = new TextTable(
            $"{outcomes.Count} of {board.Total} done{(failed > 0 ? $", {failed} failed" : "")}", ["replay", "how far"],
            "game loop");
        foreach (var one in board.Running)
        {
            var filled = (int)(Percent(one) * BarWidth / 100);
            table.Add(
                one.Pass.Name,
                $"{new string('█', filled)}{new string('░', BarWidth - filled)}",
                $"{one.Progress.GameLoop} of {one.Progress.Loops}");
        }

        return table;
    }
}
