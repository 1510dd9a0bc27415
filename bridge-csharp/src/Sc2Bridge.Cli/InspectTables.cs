using System.Globalization;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Cli;

/// <summary>Prints the report of <c>sc2bridge inspect</c>.</summary>
internal static class InspectTables
{
    private const int MaxGaps = 20;

    internal static void Print(TerminalConsole console, InspectionReport report)
    {
        foreach (var (name, text) in FactLines(report))
        {
            console.WriteLine($"{name,-13}{text}");
        }

        foreach (var table in Tables(report).Where(table => table.Rows.Count > 0))
        {
            console.WriteLine();
            console.Write(table);
        }

        if (report.Gaps.Count > MaxGaps)
        {
            console.WriteLine($"and {WholeNumber(report.Gaps.Count - MaxGaps)} more gaps (--json FILE has all of them)");
        }

        if (report.Analysis is { } analysis)
        {
            AnalysisTables.Print(console, analysis);
        }
    }

    /// <summary>The tables with the most important columns. --json has all columns.</summary>
    internal static IEnumerable<TextTable> Tables(InspectionReport report) =>
        [Channels(report), Bytes(report), Times(report), Gaps(report)];

    /// <summary>The facts about the recording, one line for each.</summary>
    internal static IEnumerable<(string Name, string Text)> FactLines(InspectionReport report)
    {
        var (match, length, chunks) = (report.Match, report.Length, report.Chunks);
        yield return ("recording", $"{report.File}, {Megabytes(report.FileBytes)} MB, by {report.Library}");
        var game = match.Simulated ? "simulated" : "StarCraft II";
        var pace = match.Rate == "realtime"
            ? "in real time"
            : match.StepSize == 0 ? $"each bot's own steps, rate {match.Rate}"
            : $"{match.StepSize} {(match.StepSize == 1 ? "loop" : "loops")} a step, rate {match.Rate}";
        yield return (
            "match", match.Name.Length == 0
                ? "the recording does not tell"
                : $"{match.Map}, {game} {match.GameVersion}".TrimEnd()
                    + $", {(match.Replay is { } replay ? $"replay {replay}" : $"seed {match.Seed}")}, {pace}");
        foreach (var player in match.Players)
        {
            string[] words = [player.Kind, player.Race, player.Difficulty, player.Name];
            var result = player.Result is null ? "" : $": {player.Result}";
            yield return (
                $"player {player.PlayerId}", string.Join(' ', words.Where(word => word.Length > 0)) + result);
        }

        yield return ("perspectives", string.Join(", ", match.Perspectives));
        if (length.Began is { } began)
        {
            yield return (
                "recorded", string.Create(
                    CultureInfo.InvariantCulture, $"{began:yyyy-MM-dd HH:mm:ss} UTC, in {length.Seconds:0.0} s"));
            yield return (
                "length", string.Create(
                    CultureInfo.InvariantCulture,
                    $"{length.Observations:N0} observations, steps {length.FirstStep} to {length.LastStep}, game loops "
                    + $"{length.FirstLoop} to {length.LastLoop} ({FormatClock(length.GameSeconds)} of the game's time)"));
        }

        yield return ("ended", match.Ended is null
            ? "the recording was not closed"
            : match.Aborted ? $"broken off: {match.Ended}" : match.Ended);
        yield return ("chunks", string.Create(
            CultureInfo.InvariantCulture,
            $"{chunks.Count:N0}, {Megabytes(chunks.RawBytes)} MB in {Megabytes(chunks.StoredBytes)} MB: "
            + $"{chunks.TimesFewer:0.0} times fewer"));
        if (length.Observations > 0)
        {
            yield return ("watch", $"sc2bridge replay {report.File} --open");
        }

        if (report.Attachments.Count > 0)
        {
            var attachments = report.Attachments.Select(one => $"{one.Key} ({Kib(one.Value)} KiB)");
            yield return ("attachments", string.Join(", ", attachments));
        }
    }

    private static TextTable Channels(InspectionReport report)
    {
        var table = new TextTable(
            "channels (stored: their share of the chunks)", ["topic"], "messages", "MB", "stored MB", "times fewer");
        foreach (var channel in report.Channels)
        {
            table.AddRow(
                channel.Topic, WholeNumber(channel.Messages), Megabytes(channel.RawBytes), Megabytes(channel.StoredBytes),
                channel.StoredBytes > 0 ? OneDecimal(channel.RawBytes / channel.StoredBytes) : "–");
        }

        return table;
    }

    private static TextTable Bytes(InspectionReport report)
    {
        var table = new TextTable(
            "bytes of a step (steps: number of observations; stored: bytes in the recording)", ["form"], "steps", "p50 KiB", "p99 KiB", "mean KiB",
            "Mbit/s at 22.4 Hz");
        foreach (var row in report.Measures.Where(row => row.Unit == "bytes"))
        {
            table.AddRow(
                row.Name, WholeNumber(row.Measured), Kib(row.P50), Kib(row.P99), Kib(row.Mean), OneDecimal(row.Mean * 8 * 22.4 / 1e6));
        }

        return table;
    }

    private static TextTable Times(InspectionReport report)
    {
        var table = new TextTable(
            "a step's times (mean: 25 % trimmed)", ["what"], "steps", "p50 ms", "p99 ms", "max ms", "mean ms");
        foreach (var row in report.Measures.Where(row => row.Unit == "us"))
        {
            table.AddRow(row.Name, WholeNumber(row.Measured), Ms(row.P50), Ms(row.P99), Ms(row.Max), Ms(row.TrimmedMean));
        }

        return table;
    }

    private static TextTable Gaps(InspectionReport report)
    {
        var table = new TextTable(
            "gaps: observations that are missing", ["why"], "perspective", "first step", "steps");
        foreach (var gap in report.Gaps.Take(MaxGaps))
        {
            table.AddRow(
                gap.Reason ?? "the recording does not tell", $"{gap.Perspective}", $"{gap.FirstStep}", WholeNumber(gap.Steps));
        }

        return table;
    }

    internal static string FormatClock(double seconds) =>
        string.Create(CultureInfo.InvariantCulture, $"{(int)(seconds / 60)}:{(int)seconds % 60:00}");

    private static string Megabytes(double bytes) => Text(bytes / 1e6, "N2");

    private static string Kib(double bytes) => Text(bytes / 1024, "0.00");

    private static string Ms(double microseconds) => Text(microseconds / 1000, "0.000");

    internal static string OneDecimal(double value) => Text(value, "0.0");

    internal static string WholeNumber(double value) => Text(value, "N0");

    private static string Text(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
