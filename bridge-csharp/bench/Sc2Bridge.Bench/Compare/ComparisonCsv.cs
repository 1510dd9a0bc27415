using System.Globalization;
using System.Text;

namespace Sc2Bridge.Bench;

/// <summary>
/// The rows of all tables as CSV (RFC 4180): of each figure and of each ratio the median, the least and the most over
/// the rounds; nothing where it was not measured.
/// </summary>
internal static class ComparisonCsv
{
    /// <summary>The whole file.</summary>
    public static string Text(ComparisonReport report)
    {
        var text = new StringBuilder();
        List<string> head = ["table", "measurement", "name", "rate", "agent", "rounds"];
        head.AddRange(Figure.All.Select(figure => figure.Key).Concat(RatioColumn.All.Select(ratio => ratio.Key))
            .SelectMany(key => (string[])[key, $"{key}_least", $"{key}_most"]));
        Line(text, head);
        foreach (var table in report.Tables)
        {
            foreach (var row in table.Rows)
            {
                List<string> cells =
                [
                    table.Name, row.Measurement.Id, row.Name, row.Measurement.RateText, row.Agent,
                    row.Rounds.ToString(CultureInfo.InvariantCulture),
                ];
                foreach (var figure in Figure.All)
                {
                    Spread? spread = row.Figures.TryGetValue(figure.Key, out var found) ? found : null;
                    cells.AddRange([Number(spread?.Median), Number(spread?.Least), Number(spread?.Most)]);
                }

                foreach (var column in RatioColumn.All)
                {
                    var ratio = column.Get(row);
                    cells.AddRange([Number(ratio?.Median), Number(ratio?.Least), Number(ratio?.Most)]);
                }

                Line(text, cells);
            }
        }

        return text.ToString();
    }

    private static string Number(double? value) => value?.ToString("0.####", CultureInfo.InvariantCulture) ?? "";

    private static void Line(StringBuilder text, IEnumerable<string> cells) =>
        text.Append(string.Join(',', cells.Select(Quoted))).Append("\r\n");

    private static string Quoted(string cell) =>
        cell.AsSpan().ContainsAny("\",\r\n") ? $"\"{cell.Replace("\"", "\"\"", StringComparison.Ordinal)}\"" : cell;
}
