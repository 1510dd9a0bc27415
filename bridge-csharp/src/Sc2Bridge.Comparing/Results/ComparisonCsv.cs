using System.Globalization;
using System.Text;

namespace Sc2Bridge.Comparing.Results;

/// <summary>The rows of all tables as CSV (RFC 4180): each figure's median, least and most over the rounds.</summary>
public static class ComparisonCsv
{
    /// <summary>The whole file.</summary>
    public static string Text(ComparisonReport report)
    {
        ArgumentNullException.ThrowIfNull(report);
        var text = new StringBuilder();
        List<string> head = ["table", "cell", "name", "rate", "agent", "rounds"];
        head.AddRange(Figure.All.SelectMany(figure =>
            (string[])[figure.Key, $"{figure.Key}_least", $"{figure.Key}_most"]));
        Line(text, head);
        foreach (var table in report.Tables)
        {
            foreach (var row in table.Rows)
            {
                List<string> cells =
                [
                    table.Name, row.Cell.Id, row.Name, row.Cell.RateText, row.Agent,
                    row.Rounds.ToString(CultureInfo.InvariantCulture),
                ];
                foreach (var figure in Figure.All)
                {
                    var spread = row.Figures.GetValueOrDefault(figure.Key);
                    cells.AddRange([Number(spread?.Median), Number(spread?.Least), Number(spread?.Most)]);
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
