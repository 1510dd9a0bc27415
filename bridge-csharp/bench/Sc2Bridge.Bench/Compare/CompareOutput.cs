namespace Sc2Bridge.Bench;

/// <summary>The files that results go to: opened before anything is measured.</summary>
internal sealed class CompareOutput : IDisposable
{
    private readonly List<(ResultFile File, Func<ComparisonReport, string> Text)> _files = [];

    internal CompareOutput(CompareOptions options, ComparisonFolder folder)
    {
        (string? Path, Func<ComparisonReport, string> Text)[] wanted =
        [
            (options.JsonFile ?? folder.Json, JsonReport.Text),
            (options.CsvFile, ComparisonCsv.Text),
            (options.HtmlFile ?? folder.Html, HtmlReport.Text),
        ];
        ResultFile.CheckApart(
            [.. wanted.Select(result => result.Path)],
            [(options.Recording, "the recording itself"), .. folder.Own.Select(own => (own, "the comparison's own"))]);
        try
        {
            foreach (var (path, text) in wanted)
            {
                if (ResultFile.Open(path) is { } file)
                {
                    _files.Add((file, text));
                }
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Writes them: each that can be written, as what was measured for an hour is in every one.</summary>
    internal void Write(ComparisonReport report)
    {
        var unwritten = new FailedWrites();
        foreach (var (file, text) in _files)
        {
            try
            {
                file.Write(text(report));
            }
            catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
            {
                unwritten.Add(
                    file.Path, $"{file.Path} could not be written ({problem.Message}): make room or choose another place");
            }
        }

        if (unwritten.Line is { } line)
        {
            throw new CommandException(line);
        }
    }

    public void Dispose() => _files.ForEach(result => result.File.Dispose());
}
