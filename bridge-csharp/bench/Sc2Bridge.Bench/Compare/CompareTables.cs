using static Sc2Bridge.Bench.Output;

namespace Sc2Bridge.Bench;

/// <summary>
/// Prints the results of <c>sc2bridge compare</c>: the advice, and each table's most important columns. The rest is in the
/// JSON.
/// </summary>
internal static class CompareTables
{
    internal static void Print(Output output, ComparisonReport report)
    {
        foreach (var line in report.Summary.Take(1).SelectMany(advice => advice.Split('\n')).Append(""))
        {
            output.Line(line);
        }

        output.Facts(report.Facts());
        foreach (var table in report.Tables.Select(Table))
        {
            output.Table(table);
        }

        output.Line("");
        foreach (var sentence in report.Left.Select(reason => $"not measured: {reason}").Concat(report.Summary.Skip(1)))
        {
            output.Line(sentence);
        }
    }

    internal static TextTable Table(ComparisonTable source)
    {
        var (title, more) = Deciding(source);
        return TableOf(
            $"{source.Title}: to a parsed observation; bridge CPU{title}",
            source.Rows,
            [
                ("", source.NameOf),
                ("p50 ms", row => Fixed(row.Median(Figure.ParsedP50) / 1000, 2)),
                ("p99 ms", row => Fixed(row.Median(Figure.ParsedP99) / 1000, 2)),
                One("late %", Figure.Misses),
                One("CPU %", Figure.SenderCpu),
                .. more,
            ]);
    }

    // A table's title and its columns in addition to the times.
    private static (string Title, (string Head, Func<MeasurementRow, string> Cell)[] Columns) Deciding(ComparisonTable table) =>
        table.Name switch
        {
            "overhead" => (
                "; delivery, as a multiple of the web server's alone and of a plain socket's",
                [Times("× server alone", RatioColumn.HeldToBare), Times("× plain socket", RatioColumn.HeldToRaw)]),
            "subscribers" => (
                "; bridge CPU, as a multiple of a plain socket's",
                [
                    Times("CPU × plain socket", RatioColumn.CpuToRaw),
                    ("subscribers p99 ms", row => Fixed(row.Median(Figure.SubscribersHeldP99) / 1000, 2)),
                ]),
            "agents" or "policy" or "round trips" => ("", [One("agent CPU %", Figure.AgentCpu)]),
            "transports" => ("", [One("Mbit/s", Figure.Mbit)]),
            _ when table.AreWays => (
                "; Mbit/s to all",
                [
                    ("Mbit/s", row => Fixed(row.Median(Figure.Mbit) * row.Measurement.Subscribers, 1)),
                    One("agent CPU %", Figure.AgentCpu),
                ]),
            _ => ("", [One("KiB a frame", Figure.Wire)]),
        };

    private static (string Head, Func<MeasurementRow, string> Cell) One(string head, Figure figure) =>
        (head, row => Fixed(row.Median(figure), 1));

    private static (string Head, Func<MeasurementRow, string> Cell) Times(string head, RatioColumn column) =>
        (head, row => Fixed(row.RatioTo(column)?.Median, 2));
}
