namespace Sc2Bridge.Cli;

/// <summary>Writes and prints the summary of a session: of a match, or of a series.</summary>
/// <param name="options">The options of the session.</param>
/// <param name="failedWrites">Collects the files that cannot be written.</param>
internal sealed class SessionSummary(SessionOptions options, FailedWrites failedWrites)
{
    // Each match of a series has steps.csv and agents.csv in its own folder.
    private static readonly string[] _files = ["summary.json", "steps.csv", "agents.csv", BridgeLog.FileName];

    /// <summary>Writes the summary of a series, if a series is played. Called after each game, so that the summary survives a later failure.</summary>
    internal string? WriteSeries(Series? series)
    {
        var text = series is null ? null : JsonReports.Text(series.Report(), JsonReports.Default.SeriesReport);
        if (text is not null)
        {
            failedWrites.WriteReport(text, Path.Combine(options.OutputFolder, "summary.json"));
        }

        return text;
    }

    /// <summary>Writes the summary to all files. Called before anything is printed, because printing may block.</summary>
    internal void WriteJson(Series? series, SessionMatch.PlayedMatch? played)
    {
        var report = WriteSeries(series)
            ?? (played is null ? null : JsonReports.Text(played.Report, JsonReports.Default.MatchReport));
        foreach (var file in report is null ? [] : options.JsonFiles.Where(file => !ResultFile.IsStandardOutputName(file)))
        {
            failedWrites.WriteReport(report!, file);
        }
    }

    /// <summary>Prints the tables, or the last event.</summary>
    internal void Print(TerminalConsole console, Series? series, SessionMatch.PlayedMatch? played)
    {
        if (options.PrintsEvents)
        {
            if ((series, played) is not (null, null))
            {
                Console.Out.WriteLine(series is not null
                    ? JsonReports.Event("summary", series.Report(), JsonReports.Default.SeriesReport)
                    : JsonReports.Event("summary", played!.Report, JsonReports.Default.MatchReport));
            }
        }
        else if (series is not null)
        {
            series.Print(console);
        }
        else if (played is not null)
        {
            if (!Printing.IsQuiet)
            {
                SummaryReport.Print(console, played.Report);
            }

            SummaryReport.PrintLosses(console, played.Report);
            console.WriteLine(SummaryReport.ToLine(played));
        }
    }

    /// <summary>Lines with the commands that use the recording, if there is one, and with the names of the other files.</summary>
    internal IEnumerable<string> NextSteps(SessionMatch.PlayedMatch? played)
    {
        if (played?.Report.Recording?.File is { } file && File.Exists(file))
        {
            var recording = ShellWord.QuotePath(file);
            yield return $"Watch it:     {OwnProgram.TypedName} replay {recording} --open";
            yield return $"Analyse it:   {OwnProgram.TypedName} inspect {recording} --fights";
        }

        string[] files = [.. _files.Where(name => File.Exists(Path.Combine(options.OutputFolder, name)))];
        if (files.Length > 0)
        {
            yield return $"Files:        {string.Join(", ", files)} in {ShellWord.QuotePath(options.OutputFolder)}";
        }
    }
}
