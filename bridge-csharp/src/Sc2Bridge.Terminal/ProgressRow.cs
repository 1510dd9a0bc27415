using System.Globalization;
using Sc2Bridge.Streaming;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Sc2Bridge.Terminal;

/// <summary>A row that says how far something is. It is shortened to the terminal's width.</summary>
/// <param name="Parts">What it says. If there is no room, the last ones are left out first.</param>
public sealed record ProgressRow(params IReadOnlyList<string> Parts)
{
    private const string Gap = "  ";
    private const string Cut = "…";
    private const int ShortestBar = 10;
    private const int LongestBar = 30;

    /// <summary>What is done, from 0 to 1, as a bar; null without a bar.</summary>
    public double? Done { get; init; }

    /// <summary>Whether somebody should look at it. It gets a sign and a colour.</summary>
    public bool IsMarked { get; init; }

    /// <summary>The rows as one line, with all parts.</summary>
    public static string Line(IEnumerable<ProgressRow> rows) => string.Join("; ", rows.Select(row => row.Words()));

    /// <summary>The row as text.</summary>
    /// <param name="width">Columns of the terminal.</param>
    public string Text(int width) => string.Concat(Pieces(width).Select(piece => piece.Text));

    /// <summary>The time that something still takes, such as <c>1:05 left</c>; empty if it is not known.</summary>
    /// <param name="rest">What is left.</param>
    /// <param name="rate">How much of it is done in a second.</param>
    public static string Left(double rest, double rate)
    {
        var seconds = rate > 0 ? Math.Ceiling(Math.Max(0, rest) / rate) : double.MaxValue;
        return seconds > TimeSpan.FromDays(99).TotalSeconds ? "" : $"{Clock(TimeSpan.FromSeconds(seconds))} left";
    }

    /// <summary>A time as <c>1:05</c> or <c>2:01:05</c>.</summary>
    public static string Clock(TimeSpan time) => time.TotalHours < 1
        ? time.ToString(@"m\:ss", CultureInfo.InvariantCulture)
        : $"{(long)time.TotalHours}{time.ToString(@"\:mm\:ss", CultureInfo.InvariantCulture)}";

    private string Percent => string.Create(CultureInfo.InvariantCulture, $"{Math.Floor(100 * Math.Clamp(Done ?? 0, 0, 1))} %");

    private IEnumerable<string> Shown => Parts.Where(part => part.Length > 0).Select(PlainText.Escape);

    private string Words() => (IsMarked ? "! " : "") + string.Join(", ", Done is null ? Shown : Shown.Prepend(Percent));

    // Some letters take two columns.
    private static string Begin(string text, int width)
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
        var style = IsMarked ? new Style(Color.Yellow) : Style.Plain;
        var used = 0;
        if (IsMarked)
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

        foreach (var part in Shown)
        {
            var text = used > (IsMarked ? 2 : 0) ? Gap + part : part;
            var room = width - used;
            if (text.GetCellWidth() > room)
            {
                if (used <= 2)
                {
                    yield return (Begin(text, room - 1) + Cut, style);
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
                // Some terminals wrap a line that fills the last column.
                foreach (var (text, style) in row.Pieces(maxWidth - 1))
                {
                    yield return new Segment(text, style);
                }

                yield return Segment.LineBreak;
            }
        }
    }
}
