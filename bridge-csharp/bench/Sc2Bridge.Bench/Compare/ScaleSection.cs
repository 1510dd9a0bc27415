using System.Text;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>The part of the page that shows how cost grows, and where it becomes too much.</summary>
internal static class ScaleSection
{
    // As many as a curve needs that is no line on logarithmic axes.
    private const int CurvePoints = 40;

    // Shown at once; the others behind a click.
    private static readonly Figure[] _first = [Figure.SenderCpu, Figure.HeldP99];

    /// <summary>The section; nothing where there is nothing.</summary>
    public static string Text(ScaleReport? scale)
    {
        if (scale is null || scale.Series.All(series => series.Points.Count == 0) && scale.Breaking.Count == 0)
        {
            return "";
        }

        var text = new StringBuilder("<section><h2>Scale</h2>\n");
        var (rounds, seconds, warmUp) = scale.Timing;
        text.Append("<p class=\"note\">How the bridge's cost grows with one load at a time, received uncompressed by "
            + "light readers: they look at a message's head and let it go, all in one process. Points are medians of "
            + Invariant($"{rounds} rounds of {seconds} s after {warmUp} s of warm-up, with the least and the most; ")
            + "lines are fitted through them by least squares (fixed + per unit; a power where that fits clearly "
            + "better). Observations of other sizes are of other stretches of the match; the largest are made: each unit "
            + "in them is there two and three times, under tags of its own.</p>\n");
        foreach (var series in scale.Series.Where(series => series.Points.Count > 0))
        {
            Series(text, series);
        }

        Breaking(text, scale.Breaking);
        if (scale.Summary.Count > 0)
        {
            text.Append("<details><summary>the same in words</summary>");
            text.AppendJoin("", scale.Summary.Select(sentence => $"<p>{Html.Text(sentence)}</p>")).Append("</details>");
        }

        return text.Append("</section>\n").ToString();
    }

    private static void Series(StringBuilder text, ScaleSeries series)
    {
        text.Append($"<h3>By {Html.Text(series.Units)}</h3>\n");
        text.AppendJoin("", _first.Select(figure => Chart(series, figure)));
        text.Append("<details><summary>every figure, and its line</summary>");
        text.AppendJoin("", ScaleReport.Figures.Except(_first).Select(figure => Chart(series, figure)));
        Fits(text, series);
        Points(text, series);
        text.Append("</details>\n");
    }

    private static string Chart(ScaleSeries series, Figure figure)
    {
        List<Line> lines = [];
        foreach (var mode in series.Points.Where(point => point.Figures.ContainsKey(figure.Key))
            .GroupBy(point => point.Measurement.Mode))
        {
            var dots = mode.Select(point => (point.X, Spread: point.Figures[figure.Key]))
                .Select(dot => (dot.X, dot.Spread.Median, dot.Spread.Least, dot.Spread.Most)).ToList();
            var fit = series.Fits.FirstOrDefault(fit => fit.Figure == figure.Key && fit.Mode == mode.Key)?.Fit;
            lines.Add(new Line(Name(mode.Key), fit is null ? [] : Curve(fit, dots[0].X, dots[^1].X)) { Dots = dots });
        }

        return LineChart.Fitted(Title(figure), series.Units, lines);
    }

    private static List<(double X, double Y)> Curve(Fit fit, double from, double to) =>
    [
        .. Enumerable.Range(0, CurvePoints + 1)
            .Select(index => from * Math.Pow(to / from, index / (double)CurvePoints))
            .Select(x => (x, fit.At(x))),
    ];

    private static void Fits(StringBuilder text, ScaleSeries series)
    {
        text.Append("<div class=\"wide\"><table><thead><tr><th></th><th>by least squares</th>"
            + "<th>residuals, in the order of the points</th></tr></thead><tbody>");
        foreach (var fit in series.Fits)
        {
            var figure = ScaleReport.Figures.First(known => known.Key == fit.Figure);
            text.Append($"<tr><th>{Html.Text($"{Name(fit.Mode)}: {Title(figure)}")}</th>");
            text.Append($"<td>{Html.Text(fit.Fit.Words("x"))}</td><td>");
            text.Append(Html.Text(string.Join("  ", fit.Fit.Residuals.Select(Html.Short)))).Append("</td></tr>");
        }

        text.Append("</tbody></table></div>");
    }

    private static void Points(StringBuilder text, ScaleSeries series)
    {
        List<Figure> columns = [.. ScaleReport.Figures, ScaleReport.ReadersCpu];
        text.Append($"<div class=\"wide\"><table><thead><tr><th></th><th>{Html.Text(series.Units)}</th>");
        text.AppendJoin("", columns.Select(figure => $"<th>{Html.Text(Title(figure))}</th>"));
        text.Append("</tr></thead><tbody>");
        foreach (var point in series.Points)
        {
            text.Append($"<tr><th>{Html.Text(point.Measurement.Name)}</th><td>{Html.Short(point.X)}</td>");
            foreach (var figure in columns)
            {
                text.Append(point.Figures.TryGetValue(figure.Key, out var spread)
                    ? $"<td>{figure.Text(spread.Median)}<small>{Ends(figure, spread)}</small></td>"
                    : "<td>–</td>");
            }

            text.Append("</tr>");
        }

        text.Append("</tbody></table></div>");

        static string Ends(Figure figure, FigureSpread spread) =>
            $"{figure.Text(spread.Least)}–{figure.Text(spread.Most)}";
    }

    private static void Breaking(StringBuilder text, IReadOnlyList<BreakingPoint> points)
    {
        if (points.Count == 0)
        {
            return;
        }

        text.Append("<h3>Where one bridge stops keeping up</h3>\n<p class=\"note\">Found by search: doubled until it "
            + "was too much, and halved between. Too much is what in two measures had p99 later than one period, or one "
            + "step in a hundred not sent or not received.</p>\n"
            + "<div class=\"wide\"><table><thead><tr><th></th><th>keeps up with</th><th>and not with</th>"
            + "<th>p99 then, ms</th><th>bridge CPU then, %</th><th>readers CPU then, %</th></tr></thead><tbody>");
        foreach (var point in points)
        {
            var measurement = point.Plan.Measurement;
            var name = point.Plan.Load == Load.Subscribers
                ? $"subscribers over {Name(measurement.Mode)}, {measurement.RateText} a second"
                : $"steps a second over {Name(measurement.Mode)}, one subscriber";
            text.Append($"<tr><th>{Html.Text(name)}</th><td>{Number(point.Kept?.Load)}</td><td>");
            text.Append(Number(point.Broke?.Load)).Append("</td><td>").Append(Number(point.Broke?.HeldP99Us / 1000));
            text.Append("</td><td>").Append(Number(point.Broke?.BridgeCpu * 100)).Append("</td><td>");
            text.Append(Number(point.Broke?.ReadersCpu * 100)).Append("</td></tr>");
        }

        text.Append("</tbody></table></div>");

        static string Number(double? value) => value is { } number ? Html.Short(number) : "–";
    }

    private static string Name(Mode mode) => (Measurement.Baseline with { Mode = mode }).Name;

    // The tables' columns stand beside each other, and say only the last word.
    private static string Title(Figure figure) => figure == Figure.HeldP99 ? "held p99, µs" : figure.Title;
}
