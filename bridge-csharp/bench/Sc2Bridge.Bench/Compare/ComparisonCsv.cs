using System.Globalization;
using System.Text;

namespace Sc2Bridge.Bench;

/// <summary>
/// The rows of all tables as CSV (RFC 4180): of each figure and of each ratio the median, the least and the most over
/// the rounds; nothing where it was not measured.
/// </summary>
internal static class ComparisonCsv
{
    public static string Text(ComparisonReport report)
    {
        var text = new StringBuilder();
        var keys = Figure.All.Select(figure => figure.Key).Concat(RatioColumn.All.Select(ratio => ratio.Key));
        string[] head = ["table", "measurement", "name", "rate", "agent", "rounds"];
        Line(text, head.Concat(keys.SelectMany(key => (string[])[key, $"{key}_least", $"{key}_most"])));
        foreach (var (table, row) in report.Tables.SelectMany(table => table.Rows.Select(row => (table, row))))
        {
            string[] names =
            [
                table.Name, row.Measurement.Id, row.Name, row.Measurement.RateText, row.Agent,
                row.Rounds.ToString(CultureInfo.InvariantCulture),
            ];
            var figures = Figure.All.Select(figure => row.Figures.TryGetValue(figure.Key, out var found)
                ? Numbers(found.Median, found.Least, found.Most)
                : Numbers(null, null, null));
            var ratios = RatioColumn.All.Select(row.RatioTo).Select(ratio => Numbers(ratio?.Median, ratio?.Least, ratio?.Most));
            Line(text, names.Concat(figures.Concat(ratios).SelectMany(cells => cells)));
        }

        return text.ToString();
    }

    private static string[] Numbers(params double?[] values) =>
        [.. values.Select(value => value?.ToString("0.####", CultureInfo.InvariantCulture) ?? "")];

    private static void Line(StringBuilder text, IEnumerable<string> cells) =>
        text.Append(string.Join(',', cells.Select(Quoted))).Append("\r\n");

    private static string Quoted(string cell) =>
        cell.AsSpan().ContainsAny("\",\r\n") ? $"\"{cell.Replace("\"", "\"\"", StringComparison.Ordinal)}\"" : cell;
}
