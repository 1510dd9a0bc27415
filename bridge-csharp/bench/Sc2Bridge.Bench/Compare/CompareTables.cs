using static Sc2Bridge.Bench.Output;

namespace Sc2Bridge.Bench;

/// <summary>
/// Prints what <c>sc2bridge compare</c> measured: the advice, and of each table the columns that decide. The rest is in
/// the page, the CSV and the JSON.
/// </summary>
internal static class CompareTables
{
    internal static void Print(TerminalConsole console, ComparisonReport report)
    {
        var output = new Output(console);
        foreach (var advice in report.Summary.Take(1))
        {
            output.Line(advice);
            output.Line("");
        }

        output.Facts(report.Facts());
        foreach (var table in Tables(report))
        {
            output.Table(table);
        }

        output.Line("");
        foreach (var sentence in report.Left.Select(reason => $"not measured: {reason}").Concat(report.Summary.Skip(1)))
        {
            output.Line(sentence);
        }
    }

    internal static IEnumerable<TextTable> Tables(ComparisonReport report) =>
        report.Tables.Select(Table).Concat(report.Breaking.Count > 0 ? [Breaking(report.Breaking)] : []);

    private static TextTable Table(ComparisonTable source)
    {
        var (title, more) = Deciding(source);
        var table = new TextTable(
            $"{source.Title}: to a parsed observation; bridge CPU{title}",
            [""], ["p50 ms", "p99 ms", "late %", "CPU %", .. more.Select(column => column.Head)]);
        foreach (var row in source.Rows)
        {
            table.Add(
                [
                    source.NameOf(row), Fixed(row.Median(Figure.ParsedP50) / 1000, 2),
                    Fixed(row.Median(Figure.ParsedP99) / 1000, 2), Fixed(row.Median(Figure.Misses), 1),
                    Fixed(row.Median(Figure.SenderCpu), 1), .. more.Select(column => column.Get(row)),
                ]);
        }

        return table;
    }

    // What a table is about, beside the times.
    private static (string Title, (string Head, Func<MeasurementRow, string> Get)[] Columns) Deciding(
        ComparisonTable table) => table.Name switch
        {
            "yardsticks" => (
                "; held in times bare and raw",
                [
                    ("× bare", row => Fixed(row.RatioTo(RatioColumn.HeldToBare)?.Median, 2)),
                    ("× raw", row => Fixed(row.RatioTo(RatioColumn.HeldToRaw)?.Median, 2)),
                ]),
            "subscribers" => (
                "; in times raw TCP",
                [
                    ("CPU × raw", row => Fixed(row.RatioTo(RatioColumn.CpuToRaw)?.Median, 2)),
                    ("readers p99 ms", row => Fixed(row.Median(Figure.ReadersHeldP99) / 1000, 2)),
                ]),
            "agents" or "policy" or "round trips" => (
                "", [("agent CPU %", row => Fixed(row.Median(Figure.AgentCpu), 1))]),
            "transports" => ("", [("Mbit/s", row => Fixed(row.Median(Figure.Mbit), 1))]),
            _ => ("", [("KiB a frame", row => Fixed(row.Median(Figure.Wire), 1))]),
        };

    private static TextTable Breaking(IEnumerable<BreakingPoint> points)
    {
        var table = new TextTable(
            "where one bridge stops keeping up", ["load"], "keeps up with", "not with", "p99 ms then", "CPU % then", "readers'");
        foreach (var point in points)
        {
            table.Add(
                point.Plan.Title, Fixed(point.Kept?.Load, 1), Fixed(point.Broke?.Load, 1),
                Fixed(point.Broke?.HeldP99Us / 1000, 1), Fixed(point.Broke?.BridgeCpu * 100, 0),
                Fixed(point.Broke?.ReadersCpu * 100, 0));
        }

        return table;
    }
}
