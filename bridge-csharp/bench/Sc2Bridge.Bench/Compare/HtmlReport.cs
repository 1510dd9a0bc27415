using System.Net;
using System.Text;
using static Sc2Bridge.Bench.Output;

namespace Sc2Bridge.Bench;

/// <summary>
/// A comparison as one page of tables that needs nothing else, no network and no script: with every figure, which a
/// terminal has no room for, and a bar for the time to a parsed observation.
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
        th i { display: block; height: .3rem; background: #3b6ea5 }
        """;

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
            + "parsed, whose p50 the bars show. Late: parsed more than one period after the game's answer, or never "
            + "received. Figures are medians of the rounds, with the least and the most that a round gave.</p>\n");
        foreach (var table in report.Tables.Where(table => table.Rows.Any(row => row.Rounds > 0)))
        {
            Section(text, table);
        }

        if (report.Breaking.Count > 0)
        {
            text.Append("<h2>Where one bridge stops keeping up</h2>\n<p>Too much is what in two measures had p99 later than "
                + "one period, or one step in a hundred not sent or not received.</p>\n");
            Table(
                text,
                ["", "keeps up with", "and not with", "p99 then, ms", "bridge CPU then, %", "readers CPU then, %"],
                report.Breaking.Select(point => (string[])
                [
                    Encode(point.Plan.Title), Fixed(point.Kept?.Load, 2), Fixed(point.Broke?.Load, 2),
                    Fixed(point.Broke?.HeldP99Us / 1000, 2), Fixed(point.Broke?.BridgeCpu * 100, 1),
                    Fixed(point.Broke?.ReadersCpu * 100, 1),
                ]));
        }

        if (report.Left.Count > 0)
        {
            text.Append("<h2>Not measured</h2>\n<ul>");
            text.AppendJoin("", report.Left.Select(reason => $"<li>{Encode(reason)}</li>")).Append("</ul>\n");
        }

        return text.Append("</main></body></html>\n").ToString();
    }

    // What is held against others comes first.
    private static void Section(StringBuilder text, ComparisonTable table)
    {
        var ratios = RatioColumn.All.Where(column => table.Rows.Any(row => row.RatioTo(column) is not null)).ToList();
        var longest = table.Rows.Select(row => row.Median(Figure.ParsedP50)).Where(double.IsFinite).DefaultIfEmpty(1).Max();
        text.Append($"<h2>{Encode(char.ToUpperInvariant(table.Title[0]) + table.Title[1..])}</h2>\n");
        Table(
            text,
            ["", .. ratios.Select(ratio => ratio.Title), .. Figure.All.Select(figure => figure.Title)],
            table.Rows.Select(row => (string[])
            [
                Encode(table.NameOf(row)) + Bar(row.Median(Figure.ParsedP50) / longest),
                .. ratios.Select(column => row.RatioTo(column) is { } ratio
                    ? Spread(Ratio.Number(ratio.Median), ratio.WithinNoise ? "within the noise" : ratio.Ends)
                    : "–"),
                .. Figure.All.Select(figure => row.Figures.TryGetValue(figure.Key, out var spread)
                    ? Spread(
                        Fixed(spread.Median, figure.Decimals),
                        $"{Fixed(spread.Least, figure.Decimals)}–{Fixed(spread.Most, figure.Decimals)}")
                    : "–"),
            ]));
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

    private static string Bar(double share) => double.IsFinite(share) ? $"<i style=\"width:{Fixed(share * 100, 0)}%\"></i>" : "";

    private static string Spread(string median, string ends) => $"{median}<small>{ends}</small>";

    private static string Encode(string text) => WebUtility.HtmlEncode(text);
}
