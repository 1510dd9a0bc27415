using System.Net;
using System.Text;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// A comparison as one page of tables that needs nothing else, no network and no script: with every figure, which a
/// terminal has no room for. Pictures are drawn by <c>--picture</c>.
/// </summary>
internal static class HtmlReport
{
    private const string Style = """
        :root { color-scheme: light dark; font: 16px/1.45 system-ui, sans-serif }
        body { margin: 0 } main { max-width: 72rem; margin: auto; padding: 1rem; overflow-wrap: anywhere }
        .advice { font-size: 1.2rem; font-weight: 600 } dt { font-weight: 600 } dd { margin: 0 0 .4rem }
        .wide { overflow-x: auto } table { border-collapse: collapse; font-size: .85rem }
        th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #8884 }
        tr > :first-child { text-align: left } td small { display: block; opacity: .65 }
        """;

    /// <summary>The whole page.</summary>
    public static string Text(ComparisonReport report)
    {
        var text = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>sc2bridge compare</title>"
            + $"<link rel=\"icon\" href=\"data:,\"><style>{Style}</style></head><body><main>\n"
            + "<h1>The ways to an agent, side by side</h1>\n");
        foreach (var (index, sentence) in report.Summary.Index())
        {
            text.Append($"<p{(index == 0 ? " class=\"advice\"" : "")}>{Encode(sentence)}</p>\n");
        }

        text.Append("<dl>");
        foreach (var (name, words) in report.Facts())
        {
            text.Append($"<dt>{name}</dt><dd>{Encode(words)}</dd>");
        }

        text.Append("</dl>\n<p>Held: from the game's answer to the agent holding the message. Parsed: to holding it "
            + "parsed. Late: parsed more than one period after the game's answer, or never received. Figures are medians of "
            + "the rounds, with the least and the most that a round gave.</p>\n");
        foreach (var table in report.Tables.Where(table => table.Rows.Any(row => row.Rounds > 0)))
        {
            Section(text, table);
        }

        if (report.Scale is { } scale)
        {
            Scale(text, scale);
        }

        if (report.NotMeasured().ToList() is { Count: > 0 } reasons)
        {
            text.Append("<h2>Not measured</h2>\n<ul>");
            text.AppendJoin("", reasons.Select(reason => $"<li>{Encode(reason)}</li>")).Append("</ul>\n");
        }

        return text.Append("</main></body></html>\n").ToString();
    }

    // What is held against others comes first.
    private static void Section(StringBuilder text, ComparisonTable table)
    {
        var ratios = RatioColumn.Of(table);
        text.Append($"<h2>{Encode(char.ToUpperInvariant(table.Title[0]) + table.Title[1..])}</h2>\n");
        Table(
            text,
            ["", .. ratios.Select(ratio => ratio.Title), .. Figure.All.Select(figure => figure.Title)],
            table.Rows.Select(row => (string[])
            [
                Encode(table.NameOf(row)),
                .. ratios.Select(column => column.Get(row) is { } ratio
                    ? Spread(Ratio.Number(ratio.Median), ratio.WithinNoise ? "within the noise" : ratio.Ends)
                    : "–"),
                .. Figure.All.Select(figure => Spread(figure, row.Figures)),
            ]));
    }

    private static void Scale(StringBuilder text, ScaleReport scale)
    {
        text.Append("<h2>Scale</h2>\n<p>How the bridge's cost grows with one load at a time, received uncompressed by light "
            + "readers, which look at a message's head and let it go, all in one process; lines are fitted by least squares "
            + "(fixed + per unit; a power where that fits clearly better).</p>\n");
        Figure[] columns = [.. ScaleReport.Figures, ScaleReport.ReadersCpu];
        foreach (var series in scale.Series.Where(series => series.Points.Count > 0))
        {
            text.Append($"<h3>By {Encode(series.Units)}</h3>\n");
            Table(
                text,
                ["", series.Units, .. columns.Select(figure => figure.Title)],
                series.Points.Select(point => (string[])
                [
                    Encode(point.Measurement.Name), Invariant($"{point.X:0.##}"),
                    .. columns.Select(figure => Spread(figure, point.Figures)),
                ]));
            Table(
                text,
                ["", "as a function of x", "residuals, in the order of the points"],
                series.Fits.Select(fit => (string[])
                [
                    Encode($"{(Measurement.Baseline with { Mode = fit.Mode }).Name}: ")
                        + Encode(ScaleReport.Figures.First(known => known.Key == fit.Figure).Title),
                    Encode(fit.Fit.Words("x")),
                    string.Join("  ", fit.Fit.Residuals.Select(residual => Invariant($"{residual:0.##}"))),
                ]));
        }

        if (scale.Breaking.Count > 0)
        {
            text.Append("<h3>Where one bridge stops keeping up</h3>\n<p>Too much is what in two measures had p99 later than "
                + "one period, or one step in a hundred not sent or not received.</p>\n");
            Table(
                text,
                ["", "keeps up with", "and not with", "p99 then, ms", "bridge CPU then, %", "readers CPU then, %"],
                scale.Breaking.Select(point => (string[])
                [
                    Encode(point.Plan.Title), Number(point.Kept?.Load), Number(point.Broke?.Load),
                    Number(point.Broke?.HeldP99Us / 1000), Number(point.Broke?.BridgeCpu * 100),
                    Number(point.Broke?.ReadersCpu * 100),
                ]));
        }

        static string Number(double? value) => value is { } number ? Invariant($"{number:0.##}") : "–";
    }

    private static void Table(StringBuilder text, IEnumerable<string> heads, IEnumerable<string[]> rows)
    {
        text.Append("<div class=\"wide\"><table><thead><tr>");
        text.AppendJoin("", heads.Select(head => $"<th>{Encode(head)}</th>")).Append("</tr></thead><tbody>");
        foreach (var row in rows)
        {
            text.Append($"<tr><th>{row[0]}</th>").AppendJoin("", row.Skip(1).Select(cell => $"<td>{cell}</td>"));
            text.Append("</tr>");
        }

        text.Append("</tbody></table></div>\n");
    }

    private static string Spread(Figure figure, IReadOnlyDictionary<string, Spread> figures) =>
        figures.TryGetValue(figure.Key, out var spread)
            ? Spread(figure.Text(spread.Median), $"{figure.Text(spread.Least)}–{figure.Text(spread.Most)}")
            : "–";

    private static string Spread(string median, string ends) => $"{median}<small>{ends}</small>";

    private static string Encode(string text) => WebUtility.HtmlEncode(text);
}
