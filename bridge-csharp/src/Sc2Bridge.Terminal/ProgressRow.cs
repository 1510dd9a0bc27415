using System.Globalization;
using Sc2Bridge.Streaming;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Sc2Bridge.Terminal;

/// <summary>A row that shows the progress of a task, shortened to the width of the terminal.</summary>
/// <param name="Parts">The texts of the row. If they do not fit, the last texts are left out first.</param>
public sealed record ProgressRow(params IReadOnlyList<string> Parts)
{
    private const string Gap = "  ";
    private const string Ellipsis = "…";
    private const int ShortestBar = 10;
    private const int LongestBar = 30;

    /// <summary>The completed part of the task, from 0 to 1, shown as a bar. Null for a row without a bar.</summary>
    public double? Done { get; init; }

    /// <summary>Whether the row is a warning, which has a sign and a colour.</summary>
    public bool IsWarning { get; init; }

    /// <summary>The rows as one line, with all parts.</summary>
    public static string JoinAsLine(IEnumerable<ProgressRow> rows) => string.Join("; ", rows.Select(row => row.ToPlainText()));

    /// <summary>The row as text.</summary>
    /// <param name="width">Columns of the terminal.</param>
    public string Text(int width) => string.Concat(Pieces(width).Select(piece => piece.Text));

    /// <summary>The remaining time of a task, such as <c>1:05 left</c>; empty if the time is unknown.</summary>
    /// <param name="rest">The remaining work.</param>
    /// <param name="rate">The work that is done per second.</param>
    public static string TimeLeft(double rest, double rate)
    {
        var seconds = rate > 0 ? Math.Ceiling(Math.Max(0, rest) / rate) : double.MaxValue;
        return seconds > TimeSpan.FromDays(99).TotalSeconds ? "" : $"{FormatClock(TimeSpan.FromSeconds(seconds))} left";
    }

    /// <summary>A time as <c>1:05</c> or <c>2:01:05</c>.</summary>
    public static string FormatClock(TimeSpan time) => time.TotalHours < 1
        ? time.ToString(@"m\:ss", CultureInfo.InvariantCulture)
        : $"{(long)time.TotalHours}{time.ToString(@"\:mm\:ss", CultureInfo.InvariantCulture)}";

    private string Percent => string.Create(CultureInfo.InvariantCulture, $"{Math.Floor(100 * Math.Clamp(Done ?? 0, 0, 1))} %");

    private IEnumerable<string> VisibleParts => Parts.Where(part => part.Length > 0).Select(PlainText.Escape);

    private string ToPlainText() => (IsWarning ? "! " : "") + string.Join(", ", Done is null ? VisibleParts : VisibleParts.Prepend(Percent));

    // Some characters take two columns of the terminal.
    private static string Truncate(string text, int width)
    {
        var begin = text[..Math.Clamp(width, 0, text.Length)];
        while (begin.GetCellWidth() > width)
        {
            begin = begin[..^1];
        }

        return begin;
    }

    private IEnumerable<(string Text, Style Style)> Pieces(int width)
    {
        var style = IsWarning ? new Style(Color.Yellow) : Style.Plain;
        var used = 0;
        if (IsWarning)
        {
            yield return ("! ", style);
            used += 2;
        }

        if (Done is { } done)
        {
            var bar = Math.Clamp(width / 4, ShortestBar, LongestBar);
            var filled = (int)(bar * Math.Clamp(done, 0, 1));
            yield return (new string('━', filled), new Style(Color.Green));
            yield return ($"{new string('─', bar - filled)}{Percent,6}", style);
            used += bar + 6;
        }

        foreach (var part in VisibleParts)
        {
            var text = used > (IsWarning ? 2 : 0) ? Gap + part : part;
            var room = width - used;
            if (text.GetCellWidth() > room)
            {
                if (used <= 2)
                {
                    yield return (Truncate(text, room - 1) + Ellipsis, style);
                }

                yield break;
            }

            yield return (text, style);
            used += text.GetCellWidth();
        }
    }

    /// <summary>Rows, one below the other.</summary>
    internal sealed class Block(IReadOnlyList<ProgressRow> rows) : Renderable
    {
        /// <inheritdoc/>
        protected override IEnumerable<Segment> Render(RenderOptions options, int maxWidth)
        {
            foreach (var row in rows)
            {
                // The last column stays empty, because some terminals wrap a line that fills it.
                foreach (var (text, style) in row.Pieces(maxWidth - 1))
                {
                    yield return new Segment(text, style);
                }

                yield return Segment.LineBreak;
            }
        }
    }
}
