using System.Text;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// A comparison as one page that needs nothing else: no network, no script; its pictures stand in it, and it reads on
/// a telephone as on a screen.
/// </summary>
internal static class HtmlReport
{
    private const string Style = "Sc2Bridge.Comparing.Reporting.report.css";

    /// <summary>The whole page.</summary>
    public static string Text(ComparisonReport report)
    {
        var text = new StringBuilder();
        text.Append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            + "<title>sc2bridge compare</title><link rel=\"icon\" href=\"data:,\"><style>");
        text.Append(ReadStyle()).Append("</style></head><body><main>\n<h1>The ways to an agent, side by side</h1>\n");
        Summary(text, report);
        Facts(text, report);
        text.Append(Distributions(report)).Append(Bytes(report));
        foreach (var table in report.Tables.Where(table => table.Rows.Any(row => row.Rounds > 0)))
        {
            var names = new RowNames(table);
            text.Append($"<section><h2>{Html.Text(names.Title)}</h2>\n");
            text.Append(Latencies(table, names)).Append(Processors(table, names));
            text.Append(Table(table, names, [.. Figure.ColumnsOf(table)]));
            text.Append("<details><summary>every figure</summary>").Append(Table(table, names, Figure.All));
            text.Append("</details></section>\n");
        }

        text.Append(ScaleSection.Text(report.Scale));
        Left(text, report);
        return text.Append("</main></body></html>\n").ToString();
    }

    private static string ReadStyle()
    {
        using var stream = typeof(HtmlReport).Assembly.GetManifestResourceStream(Style)!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }

    private static void Summary(StringBuilder text, ComparisonReport report)
    {
        text.Append("<section class=\"summary\">");
        foreach (var (index, sentence) in report.Summary.Except(report.Scale?.Summary ?? []).Index())
        {
            text.Append($"<p{(index == 0 ? " class=\"advice\"" : "")}>{Html.Text(sentence)}</p>");
        }

        text.Append("</section>\n");
    }

    private static void Facts(StringBuilder text, ComparisonReport report)
    {
        var machine = report.Machine;
        text.Append("<dl>");
        Fact("match", report.Match);
        if (report.GameText is { } game)
        {
            Fact("game", game);
        }

        Fact("machine", $"{machine.Processor}, {machine.Cores} cores, "
            + Invariant($"load {machine.LoadAtStart:0.00} at the start"));
        Fact("system", machine.System);
        Fact("bridge", $"{machine.Runtime}, {machine.Build}, garbage collector: {machine.GarbageCollector}");
        foreach (var agent in report.Tables.SelectMany(table => table.Rows).Select(row => row.Agent)
            .Where(agent => agent.Length > 0).Distinct())
        {
            Fact("agent", agent);
        }

        var (rounds, seconds, warmUp) = report.Timing;
        Fact("measured", Invariant($"{rounds} rounds of {seconds} s, each after {warmUp} s of warm-up, ")
            + "in another order each");
        text.Append("</dl><p class=\"note\">Held: from the game's answer to the agent holding the message. Parsed: to "
            + "holding it parsed. Late: parsed more than one period after the game's answer, or never received. Figures "
            + "are medians of the rounds, with the least and the most that a round gave.</p>\n");

        void Fact(string name, string words) => text.Append($"<dt>{name}</dt><dd>{Html.Text(words)}</dd>");
    }

    private static string Latencies(ComparisonTable table, RowNames names) => BarChart.Draw(
        "From the game's answer, µs",
        [("first", "to held, p50"), ("second", "to parsed, p50"), ("tail", "to parsed, p99")],
        [
            .. Measured(table).Select(row => new Bar(
                names.Of(row),
                [
                    new BarPart(row.Median(Figure.ParsedP99), "tail"),
                    new BarPart(row.Median(Figure.ParsedP50), "second"),
                    new BarPart(row.Median(Figure.HeldP50), "first"),
                ],
                string.Join(" · ", ((Figure[])[Figure.HeldP50, Figure.ParsedP50, Figure.ParsedP99])
                    .Select(figure => Html.Short(row.Median(figure)))))),
        ]);

    private static string Processors(ComparisonTable table, RowNames names) => BarChart.Draw(
        "Processor time, % of one core",
        [("first", "bridge"), ("second", "agent")],
        [
            .. Measured(table).Select(row => new Bar(
                names.Of(row),
                [
                    new BarPart(row.Median(Figure.AgentCpu), "second half"),
                    new BarPart(row.Median(Figure.SenderCpu), "first half"),
                ],
                $"{Html.Short(row.Median(Figure.SenderCpu))} · {Html.Short(row.Median(Figure.AgentCpu))}")),
        ]);

    // The modes at the game's rate: each percentile's median over the rounds.
    private static string Distributions(ComparisonReport report)
    {
        List<Line> lines = [];
        foreach (var (style, measurement) in Compared().Index())
        {
            var rounds = report.Runs.Where(run => run.Measurement == measurement.Id)
                .Select(run => run.Parsed).OfType<Distribution>().ToList();
            if (rounds.Count > 0)
            {
                lines.Add(new Line(
                    measurement.Name, [.. Enumerable.Range(0, 101).Select(percent => (Middle(percent), percent / 100.0))])
                {
                    Style = style,
                });
            }

            double Middle(int percent) =>
                Statistics.Median(rounds.Select(round => round.Percentiles[percent]));
        }

        return lines.Count == 0
            ? ""
            : LineChart.Shares(
                "Observations parsed within a time, at 22.4 a second", "µs from the game's answer", lines);
    }

    // Where messages are the same, one line would hide the other: it has both names.
    private static string Bytes(ComparisonReport report)
    {
        List<Line> lines = [];
        foreach (var (style, measurement) in Compared().Index())
        {
            var received = report.Runs.Where(run => run.Measurement == measurement.Id).Select(run => run.Along);
            if (received.FirstOrDefault(points => points is { Count: > 1 }) is { } along)
            {
                (double X, double Y)[] points =
                    [.. along.Select((bytes, index) => (index / (along.Count - 1.0), bytes / 1024.0))];
                var same = lines.FindIndex(line => line.Points.SequenceEqual(points));
                if (same >= 0)
                {
                    lines[same] = lines[same] with { Name = $"{lines[same].Name}; {measurement.Name}" };
                }
                else
                {
                    lines.Add(new Line(measurement.Name, points) { Style = style });
                }
            }
        }

        return lines.Count == 0
            ? ""
            : LineChart.Along("KiB of a message along what was received of the match", "first step to last", lines);
    }

    private static IEnumerable<Measurement> Compared() =>
    [
        Measurement.Baseline,
        Measurement.Baseline with { Mode = Mode.Binary },
        Measurement.Baseline with { Mode = Mode.Json },
        Measurement.Baseline with { Packing = Packing.GroupZstd },
        Measurement.Baseline with { Sender = Sender.Raw },
    ];

    // What is held against others comes first: the pictures have the times.
    private static string Table(ComparisonTable table, RowNames names, IReadOnlyList<Figure> columns)
    {
        var ratios = RatioColumn.Of(table);
        var text = new StringBuilder("<div class=\"wide\"><table><thead><tr><th></th>");
        foreach (var title in ratios.Select(ratio => ratio.Title).Concat(columns.Select(figure => figure.Title)))
        {
            text.Append($"<th>{Html.Text(title)}</th>");
        }

        text.Append("</tr></thead><tbody>");
        foreach (var row in table.Rows)
        {
            text.Append($"<tr><th>{Html.Text(names.Of(row))}</th>");
            text.AppendJoin("", ratios.Select(ratio => Ratio(ratio.Get(row))));
            foreach (var figure in columns)
            {
                text.Append(row.Figures.TryGetValue(figure.Key, out var spread)
                    ? Figured(figure.Text(spread.Median), $"{figure.Text(spread.Least)}–{figure.Text(spread.Most)}")
                    : "<td>–</td>");
            }

            text.Append("</tr>");
        }

        return text.Append("</tbody></table></div>").ToString();

        static string Ratio(Ratio? ratio) => ratio is null
            ? "<td>–</td>"
            : Figured(
                Bench.Ratio.Number(ratio.Median), ratio.WithinNoise ? "within the noise" : ratio.Ends);
    }

    private static string Figured(string figure, string spread) => $"<td>{figure}<small>{spread}</small></td>";

    private static void Left(StringBuilder text, ComparisonReport report)
    {
        var failed = report.Tables.SelectMany(table => table.Rows).Where(row => row.Problems.Count > 0)
            .Select(row => $"{row.Name}, {RowNames.Rate(row.Measurement)}: {row.Problems[0]}").Distinct().ToList();
        failed.AddRange(report.Scale?.Left ?? []);
        if (failed.Count + report.Left.Count > 0)
        {
            text.Append("<section><h2>Not measured</h2><ul>");
            foreach (var reason in report.Left.Concat(failed))
            {
                text.Append($"<li>{Html.Text(reason)}</li>");
            }

            text.Append("</ul></section>\n");
        }
    }

    private static IEnumerable<MeasurementRow> Measured(ComparisonTable table) => table.Rows.Where(row => row.Rounds > 0);
}
