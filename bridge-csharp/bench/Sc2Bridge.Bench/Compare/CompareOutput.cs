
namespace Sc2Bridge.Bench;

/// <summary>The files that results go to: opened before anything is measured.</summary>
internal sealed class CompareOutput : IDisposable
{
    private readonly ResultFile? _json;
    private readonly ResultFile? _csv;
    private readonly ResultFile? _html;
    private readonly ResultFile? _picture;

    /// <param name="options">Where they go.</param>
    /// <param name="folder">Where JSON and page go that are not sent elsewhere.</param>
    /// <exception cref="CommandException">One cannot be written.</exception>
    internal CompareOutput(CompareOptions options, ComparisonFolder folder)
    {
        var (json, html) = (options.JsonFile ?? folder.Json, options.HtmlFile ?? folder.Html);
        ResultFile.CheckApart(
            [json, options.CsvFile, html, options.PictureFile],
            [(options.Recording, "the recording itself"), .. folder.Own.Select(own => (own, "the comparison's own"))]);
        try
        {
            _json = ResultFile.Open(json);
            _csv = ResultFile.Open(options.CsvFile);
            _html = ResultFile.Open(html);
            _picture = ResultFile.Open(options.PictureFile);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Checks that what is asked for can be made.</summary>
    /// <param name="painter">Draws pictures.</param>
    /// <param name="ct">Gives up.</param>
    internal Task CheckAsync(string painter, CancellationToken ct) =>
        _picture is null ? Task.CompletedTask : PythonScripts.CheckDrawingAsync(painter, _picture.Path, ct);

    /// <summary>Writes them: each that can be written, as what was measured for an hour is in every one.</summary>
    /// <exception cref="CommandException">One or more could not be written.</exception>
    internal async Task WriteAsync(ComparisonReport report, string painter, CancellationToken ct)
    {
        var text = JsonReport.Text(report);
        var unwritten = new FailedWrites();
        Write(_json, text);
        Write(_csv, ComparisonCsv.Text(report));
        Write(_html, HtmlReport.Text(report));
        if (_picture is not null)
        {
            try
            {
                await PythonScripts.DrawAsync(painter, text, _picture.Path, ct);
                _picture.Keep();
            }
            catch (Exception problem) when (problem is CommandException or IOException or UnauthorizedAccessException)
            {
                Add(_picture, problem);
            }
        }

        if (unwritten.Line is { } line)
        {
            throw new CommandException(line);
        }

        void Write(ResultFile? file, string content)
        {
            try
            {
                file?.Write(content);
            }
            catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
            {
                Add(file!, problem);
            }
        }

        void Add(ResultFile file, Exception problem) => unwritten.Add(
            file.Path, $"{file.Path} could not be written ({problem.Message}): make room or choose another place");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _json?.Dispose();
        _csv?.Dispose();
        _html?.Dispose();
        _picture?.Dispose();
    }
}
