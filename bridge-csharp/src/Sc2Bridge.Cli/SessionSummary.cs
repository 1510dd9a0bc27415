namespace Sc2Bridge.Cli;

/// <summary>What a session tells at its end: a match's summary, or a series'.</summary>
/// <param name="options">The session's.</param>
/// <param name="failedWrites">Gets the files that cannot be written.</param>
internal sealed class SessionSummary(SessionOptions options, FailedWrites failedWrites)
{
    // Each match of a series has steps.csv and agents.csv in its own folder.
    private static readonly string[] _files = ["summary.json", "steps.csv", "agents.csv", BridgeLog.FileName];

    /// <summary>Writes it after each game, so that a later failure does not lose it.</summary>
    internal string? Write(Series? series)
    {
        var text = series is null ? null : JsonReports.Text(series.Report(), JsonReports.Default.SeriesReport);
        if (text is not null)
        {
            failedWrites.Write(text, Path.Combine(options.OutputFolder, "summary.json"));
        }

        return text;
    }

    /// <summary>Writes all of it, before anything is printed: writing to the terminal may block.</summary>
    internal void WriteJson(Series? series, SessionMatch.Played? played)
    {
        var report = Write(series)
            ?? (played is null ? null : JsonReports.Text(played.Report, JsonReports.Default.MatchReport));
        foreach (var file in report is null ? [] : options.JsonFiles.Where(file => !ResultFile.IsOutputName(file)))
        {
            failedWrites.Write(report!, file);
        }
    }

    /// <summary>Prints the tables, or the last event.</summary>
    internal void Print(TerminalConsole console, Series? series, SessionMatch.Played? played)
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

            console.WriteLine(SummaryReport.Line(played));
        }
    }

    /// <summary>What to do next with the recording, if there is one, and where the other files are.</summary>
    internal IEnumerable<string> NextSteps(SessionMatch.Played? played)
    {
        if (played?.Report.Recording?.File is { } file && File.Exists(file))
        {
            var recording = ShellWord.OfPath(file);
            yield return $"Watch it:     {OwnProgram.Typed} replay {recording} --open";
            yield return $"Analyse it:   {OwnProgram.Typed} inspect {recording} --fights";
        }

        string[] files = [.. _files.Where(name => File.Exists(Path.Combine(options.OutputFolder, name)))];
        if (files.Length > 0)
        {
            yield return $"Files:        {string.Join(", ", files)} in {ShellWord.OfPath(options.OutputFolder)}";
        }
    }
}
