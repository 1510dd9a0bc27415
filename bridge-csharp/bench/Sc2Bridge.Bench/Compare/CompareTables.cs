using Spectre.Console;

namespace Sc2Bridge.Bench;

/// <summary>Prints what <c>sc2bridge compare</c> measured.</summary>
internal static class CompareTables
{
    internal static void Print(IAnsiConsole console, ComparisonReport report)
    {
        console.WriteLine(report.Machine.Text);
        foreach (var agent in report.Tables.SelectMany(table => table.Rows).Select(row => row.Agent)
            .Where(agent => agent.Length > 0).Distinct())
        {
            console.WriteLine($"agent     {agent}");
        }

        console.WriteLine($"match     {report.Match}");
        if (report.GameText is { } game)
        {
            console.WriteLine($"game      {game}");
        }

        console.WriteLine(
            $"measured  {report.Timing.Rounds} rounds of {report.Timing.Seconds} s, each after "
            + $"{report.Timing.WarmUpSeconds} s of warm-up, in another order each; medians (least–most)");
        foreach (var table in report.Tables)
        {
            console.Write(Table(table));
        }

        foreach (var row in report.Tables.SelectMany(table => table.Rows)
            .Where(row => row.Problems.Count > 0).DistinctBy(row => row.Measurement))
        {
            console.WriteLine($"failed: {row.Name}, rate {row.Measurement.RateText}: {row.Problems[0]}");
        }

        if (report.Scale is { } scale)
        {
            foreach (var series in scale.Series.Where(series => series.Fits.Count > 0))
            {
                console.Write(Fits(series));
            }
        }

        foreach (var reason in report.Left.Concat(report.Scale?.Left ?? []))
        {
            console.WriteLine($"not measured: {reason}");
        }

        console.WriteLine();
        foreach (var sentence in report.Summary)
        {
            console.WriteLine(sentence);
        }
    }

    private static Table Fits(ScaleSeries series)
    {
        var table = new Table { Title = new TableTitle(Markup.Escape(series.Name)), Border = TableBorder.Simple };
        table.AddColumn("");
        table.AddColumn($"as a function of x, in {Markup.Escape(series.Units)}");
        table.AddColumn(new TableColumn("greatest residual").RightAligned());
        foreach (var fit in series.Fits)
        {
            var figure = ScaleReport.Figures.First(known => known.Key == fit.Figure);
            table.AddRow(
                Markup.Escape($"{(Measurement.Baseline with { Mode = fit.Mode }).Name}: {figure.Title}"),
                Markup.Escape(fit.Fit.Words("x")),
                figure.Text(fit.Fit.Residuals.Max(Math.Abs)));
        }

        return table;
    }

    private static Table Table(ComparisonTable source)
    {
        var table = new Table { Title = new TableTitle(Markup.Escape(source.Name)), Border = TableBorder.Simple };
        table.AddColumn("");
        table.AddColumn(new TableColumn("rate").RightAligned());
        var figures = Figure.ColumnsOf(source).ToList();
        var ratios = RatioColumn.Of(source);
        foreach (var figure in figures)
        {
            table.AddColumn(new TableColumn(figure.Title).RightAligned());
        }

        foreach (var ratio in ratios)
        {
            table.AddColumn(ratio.Title);
        }

        foreach (var row in source.Rows)
        {
            List<string> cells = [row.Name, row.Measurement.RateText];
            cells.AddRange(figures.Select(figure => Text(row, figure)));
            cells.AddRange(ratios.Select(ratio => ratio.Get(row)?.Text ?? "–"));
            table.AddRow([.. cells.Select(Markup.Escape)]);
        }

        return table;
    }

    private static string Text(MeasurementRow row, Figure figure) => row.Figures.TryGetValue(figure.Key, out var spread)
        ? figure == Figure.HeldP50 || figure == Figure.ParsedP50
            ? $"{figure.Text(spread.Median)} ({figure.Text(spread.Least)}–{figure.Text(spread.Most)})"
            : figure.Text(spread.Median)
        : "–";
}
