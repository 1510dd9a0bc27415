using Sc2Bridge.Comparing.Reporting;
using Sc2Bridge.Comparing.Results;
using Sc2Bridge.Measuring;
using Sc2Bridge.Measuring.Peers;

namespace Sc2Bridge.Cli;

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
        try
        {
            _json = ResultFile.Open(options.JsonFile ?? folder.Json);
            _csv = ResultFile.Open(options.CsvFile);
            _html = ResultFile.Open(options.HtmlFile ?? folder.Html);
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
    internal Task CheckAsync(PythonPeer painter, CancellationToken ct) =>
        _picture is null ? Task.CompletedTask : painter.CheckAsync(_picture.Path, ct);

    /// <summary>Writes them.</summary>
    internal async Task WriteAsync(ComparisonReport report, PythonPeer painter, CancellationToken ct)
    {
        var text = ReportFile.Text(report);
        _json?.Write(text);
        _csv?.Write(ComparisonCsv.Text(report));
        _html?.Write(HtmlReport.Text(report));
        if (_picture is not null)
        {
            await painter.DrawAsync(PictureKind.Comparison, text, _picture.Path, ct);
            _picture.Keep();
        }
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
