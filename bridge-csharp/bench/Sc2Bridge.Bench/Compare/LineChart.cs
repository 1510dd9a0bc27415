using System.Text;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>A line: points in their order.</summary>
/// <param name="Name">In the legend.</param>
/// <param name="Points">Across (from 0 to 1) and up (a value, or from 0 to 1).</param>
internal sealed record Line(string Name, IReadOnlyList<(double X, double Y)> Points)
{
    /// <summary>Its colour: which of the styles, the same for the same thing in every chart; null for its place.</summary>
    public int? Style { get; init; }

    /// <summary>Points that stand beside the line, each with how far up and down it may be.</summary>
    public IReadOnlyList<(double X, double Y, double Least, double Most)> Dots { get; init; } = [];
}

/// <summary>Lines as SVG, small enough that its words are readable on a telephone.</summary>
internal static class LineChart
{
    private const double Width = 380;
    private const double Height = 240;
    private const double Left = 44;
    private const double Right = 26;
    private const double Top = 10;
    private const double Bottom = 34;
    private const int MostTicks = 5;

    /// <summary>The styles of lines, in turn.</summary>
    private const int Styles = 6;

    /// <summary>Draws lines whose values stand on a logarithmic axis across, and shares of all up.</summary>
    public static string Shares(string title, string across, IReadOnlyList<Line> lines)
    {
        var scale = new LogScale(lines.SelectMany(line => line.Points.Select(point => point.X)));
        var drawn = lines.Select(line => line with
        {
            Points = [.. line.Points.Select(point => (scale.At(point.X), point.Y))],
        });
        return Draw(
            title,
            across,
            [.. scale.Ticks(MostTicks).Select(tick => (scale.At(tick), Html.Tick(tick)))],
            [.. ((double[])[0, 0.25, 0.5, 0.75, 1]).Select(share => (share, Invariant($"{share * 100:0} %")))],
            [.. drawn]);
    }

    /// <summary>Draws lines along something, whose values stand on a logarithmic axis up.</summary>
    public static string Along(string title, string across, IReadOnlyList<Line> lines)
    {
        var scale = new LogScale(lines.SelectMany(line => line.Points.Select(point => point.Y)));
        var drawn = lines.Select(line => line with
        {
            Points = [.. line.Points.Select(point => (point.X, scale.At(point.Y)))],
        });
        return Draw(
            title,
            across,
            [],
            [.. scale.Ticks(MostTicks).Select(tick => (scale.At(tick), Html.Tick(tick)))],
            [.. drawn]);
    }

    /// <summary>Draws measured points and the lines fitted through them; both axes are logarithmic.</summary>
    /// <param name="title">What is up, and in what unit.</param>
    /// <param name="across">What is across.</param>
    /// <param name="lines">Positive values.</param>
    public static string Fitted(string title, string across, IReadOnlyList<Line> lines)
    {
        var dots = lines.SelectMany(line => line.Dots).ToList();
        var x = new LogScale(dots.Select(dot => dot.X));
        var y = new LogScale(dots.SelectMany(dot => (double[])[dot.Least, dot.Most]));
        var drawn = lines.Select(line => line with
        {
            Points = [.. line.Points.Where(point => point.Y > 0).Select(point => (x.At(point.X), y.At(point.Y)))],
            Dots = [.. line.Dots.Select(dot => (x.At(dot.X), y.At(dot.Y), y.At(dot.Least), y.At(dot.Most)))],
        });
        return Draw(
            title,
            across,
            [.. x.Ticks(MostTicks).Select(tick => (x.At(tick), Html.Tick(tick)))],
            [.. y.Ticks(MostTicks).Select(tick => (y.At(tick), Html.Tick(tick)))],
            [.. drawn]);
    }

    private static string Draw(
        string title,
        string across,
        List<(double At, string Words)> xTicks,
        List<(double At, string Words)> yTicks,
        List<Line> lines)
    {
        var text = new StringBuilder();
        text.Append($"<figure class=\"lines\"><figcaption>{Html.Text(title)}</figcaption><p class=\"legend\">");
        foreach (var (index, line) in lines.Index())
        {
            text.Append($"<span><i class=\"line{(line.Style ?? index) % Styles}\"></i>{Html.Text(line.Name)}</span>");
        }

        text.Append("</p>").Append(Invariant(
            $"<svg viewBox=\"0 0 {Width} {Height}\" role=\"img\" aria-label=\"{Html.Text(title)}\">"));
        foreach (var (at, words) in yTicks)
        {
            text.Append(Invariant($"<path class=\"grid\" d=\"M{Left} {Y(at):0.#}H{Width - Right}\"/>"));
            text.Append(Invariant($"<text x=\"{Left - 5}\" y=\"{Y(at) + 4:0.#}\" text-anchor=\"end\">{words}</text>"));
        }

        foreach (var (at, words) in xTicks)
        {
            text.Append(Invariant($"<path class=\"grid\" d=\"M{X(at):0.#} {Top}V{Height - Bottom}\"/>"));
            text.Append(Invariant(
                $"<text x=\"{X(at):0.#}\" y=\"{Height - Bottom + 14}\" text-anchor=\"middle\">{words}</text>"));
        }

        text.Append(Invariant($"<text x=\"{X(0.5)}\" y=\"{Height - 4}\" text-anchor=\"middle\">"));
        text.Append(Html.Text(across)).Append("</text>");
        foreach (var (index, line) in lines.Index())
        {
            var points = string.Join(
                ' ', line.Points.Select(point => Invariant($"{X(point.X):0.##},{Y(point.Y):0.##}")));
            text.Append($"<g class=\"line{(line.Style ?? index) % Styles}\"><polyline points=\"{points}\"/>");
            foreach (var dot in line.Dots)
            {
                text.Append(Invariant($"<path d=\"M{X(dot.X):0.#} {Y(dot.Least):0.#}V{Y(dot.Most):0.#}\"/>"));
                text.Append(Invariant($"<circle cx=\"{X(dot.X):0.#}\" cy=\"{Y(dot.Y):0.#}\" r=\"3\"/>"));
            }

            text.Append("</g>");
        }

        return text.Append("</svg></figure>").ToString();
    }

    private static double X(double part) => Left + (part * (Width - Left - Right));

    private static double Y(double part) => Height - Bottom - (part * (Height - Top - Bottom));
}
