using System.Buffers.Text;
using System.Net;
using System.Text;

namespace Sc2Bridge.Recordings;

/// <summary>Writes the viewer, a page that shows a recording without a bridge, with a recording inside.</summary>
public static class ViewerCopy
{
    /// <summary>The largest recording, in bytes. Browsers read the whole page before they show any of it.</summary>
    public const long MostBytes = 25_000_000;

    private const string Place = "<!-- recording -->";
    private const int BlockBytes = 3 << 16;

    /// <summary>Writes the page.</summary>
    /// <param name="path">The recording. It is not changed, and may be damaged.</param>
    /// <param name="target">The path of the page. The file must not exist.</param>
    /// <param name="viewer">The viewer without a recording.</param>
    /// <param name="ct">Cancels writing. The page is then deleted.</param>
    /// <param name="begun">Called when both files are open.</param>
    /// <returns>The size of the recording in bytes.</returns>
    /// <exception cref="RecordingException">
    /// The file is not a recording or is too large, or the page cannot be written. It is then deleted.
    /// </exception>
    public static long Write(string path, string target, string viewer, CancellationToken ct, Action? begun = null)
    {
        ArgumentNullException.ThrowIfNull(viewer);
        if (new FileInfo(path) is { Exists: true, Length: > MostBytes and var tooMany })
        {
            throw new RecordingException(
                $"{path} has {tooMany / 1e6:0.0} MB, and a viewer holds at most {MostBytes / 1e6:0} MB: "
                + "send the recording itself, and open it in sc2bridge-viewer.html");
        }

        using var recording = RecordingReader.Open(path);
        if (recording.Perspectives.All(perspective => recording.Count(perspective) == 0))
        {
            throw recording.File.Layout.Problem is { } damage
                ? new RecordingErrors(recording.Name).ToRecordingException(damage)
                : new RecordingException($"{path} has no observations to show: record a match that has steps");
        }

        using var bytes = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        using var sink = new FileSink(target);
        begun?.Invoke();
        var at = viewer.IndexOf(Place, StringComparison.Ordinal);
        sink.Append(Encoding.UTF8.GetBytes(viewer[..at]));
        var size = Append(bytes, Path.GetFileName(path), sink, ct);
        sink.Append(Encoding.UTF8.GetBytes(viewer[(at + Place.Length)..]));
        sink.Keep();
        return size;
    }

    /// <summary>Makes a page that shows a report, and the recording that belongs to it.</summary>
    /// <param name="recording">The recording; null if the page contains only the report.</param>
    /// <param name="name">The recording's name in the page.</param>
    /// <param name="viewer">The viewer without a recording.</param>
    /// <param name="reportId">The id of the element that contains the report.</param>
    /// <param name="report">The report as JSON.</param>
    /// <param name="target">The path of the page. The file must not exist.</param>
    /// <param name="ct">Cancels writing. The page is then deleted.</param>
    /// <exception cref="RecordingException">The page cannot be written. It is then deleted.</exception>
    public static void Write(
        byte[]? recording, string name, string viewer, string reportId, string report, string target, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(viewer);
        ArgumentNullException.ThrowIfNull(report);
        using var sink = new FileSink(target);
        var at = viewer.IndexOf(Place, StringComparison.Ordinal);

        // In JSON, these letters occur only in texts. If they are escaped, no text can end the element.
        var escaped = report.Replace("&", "\\u0026", StringComparison.Ordinal)
            .Replace("<", "\\u003c", StringComparison.Ordinal).Replace(">", "\\u003e", StringComparison.Ordinal);
        sink.Append(Encoding.UTF8.GetBytes($"{viewer[..at]}<script type=\"application/json\" id=\"{reportId}\">{escaped}</script>"));
        if (recording is not null)
        {
            using var bytes = new MemoryStream(recording, writable: false);
            Append(bytes, name, sink, ct);
        }

        sink.Append(Encoding.UTF8.GetBytes(viewer[(at + Place.Length)..]));
        sink.Keep();
    }

    // Returns the size of the recording.
    private static long Append(Stream bytes, string fileName, FileSink sink, CancellationToken ct)
    {
        var name = WebUtility.HtmlEncode(fileName);
        sink.Append(Encoding.UTF8.GetBytes($"<script type=\"application/octet-stream\" id=\"recording\" data-name=\"{name}\">"));
        var block = new byte[BlockBytes];
        var text = new byte[Base64.GetMaxEncodedToUtf8Length(BlockBytes)];
        var (size, total) = (0L, bytes.Length); // A file that is still written may grow.

        // Every block but the last is a multiple of three bytes, so their texts are one text.
        while (bytes.ReadAtLeast(Next(), Next().Length, throwOnEndOfStream: false) is > 0 and var length)
        {
            ct.ThrowIfCancellationRequested();
            Base64.EncodeToUtf8(block.AsSpan(0, length), text, out _, out var written);
            sink.Append(text.AsSpan(0, written));
            size += length;
        }

        sink.Append("</script>"u8);
        return size;

        Span<byte> Next() => block.AsSpan(0, (int)Math.Min(BlockBytes, total - size));
    }
}
