using System.Globalization;
using System.Text.Json.Serialization;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>A measured point: a cost at a load.</summary>
/// <param name="X">The load.</param>
/// <param name="Y">The cost.</param>
internal readonly record struct FitPoint(double X, double Y);

/// <summary>
/// A cost as a function of a load by least squares: <c>Fixed + PerUnit · x^Exponent</c>. A line with an intercept has
/// the exponent 1; a power law has nothing fixed.
/// </summary>
/// <param name="Fixed">What it costs at no load.</param>
/// <param name="PerUnit">What each unit of the load adds; of a power law the cost of the first.</param>
/// <param name="Exponent">1 for a line.</param>
/// <param name="R2">The share of the costs' variance that it explains: 1 is all of it.</param>
/// <param name="Residuals">Of each point in its order: measured less fitted, in the cost's unit.</param>
internal sealed record Fit(double Fixed, double PerUnit, double Exponent, double R2, IReadOnlyList<double> Residuals)
{
    // A line says more, being a sum of parts: another form must explain this much more to be taken.
    private const double Clearly = 0.005;

    /// <summary>Fewer different loads than this have a line through them whatever was measured.</summary>
    public const int FewestLoads = 3;

    /// <summary>Whether it is a line.</summary>
    [JsonIgnore]
    public bool IsLine => Exponent == 1;

    /// <summary>The cost at a load.</summary>
    public double At(double x) => Fixed + (PerUnit * (IsLine ? x : Math.Pow(x, Exponent)));

    /// <summary>As a person reads it, with how much it explains.</summary>
    /// <param name="x">What the load is called.</param>
    public string Words(string x) => (IsLine
        ? Invariant($"{Short(Fixed)} {(PerUnit < 0 ? "−" : "+")} {Short(Math.Abs(PerUnit))} · {x}")
        : Invariant($"{Short(PerUnit)} · {x}^{Exponent:0.00}"))
        + Invariant($" (R² {R2:0.000})");

    /// <summary>The line, or the power law where that fits clearly better.</summary>
    /// <returns>Null where there are fewer than <see cref="FewestLoads"/> different loads.</returns>
    public static Fit? Of(IReadOnlyList<FitPoint> points)
    {
        if (points.Select(point => point.X).Distinct().Count() < FewestLoads)
        {
            return null;
        }

        var line = Line(points);
        return Power(points) is { } power && power.R2 > line.R2 + Clearly ? power : line;
    }

    /// <summary>The line with the least squares of the residuals.</summary>
    /// <param name="points">At least two different loads.</param>
    public static Fit Line(IReadOnlyList<FitPoint> points)
    {
        var (intercept, slope) = Solve(points);
        return Judged(points, intercept, slope, 1);
    }

    /// <summary>
    /// The power law with the least squares of the residuals' logarithms, and so of their proportions; judged, as a
    /// line is, by the residuals themselves.
    /// </summary>
    /// <param name="points">At least two different loads.</param>
    /// <returns>Null where a load or a cost is not positive, or where it would be a line.</returns>
    public static Fit? Power(IReadOnlyList<FitPoint> points)
    {
        if (points.Any(point => point.X <= 0 || point.Y <= 0))
        {
            return null;
        }

        var (intercept, slope) = Solve([.. points.Select(point => new FitPoint(Math.Log(point.X), Math.Log(point.Y)))]);
        return slope == 1 ? null : Judged(points, 0, Math.Exp(intercept), slope);
    }

    // Around the means, where the sums lose the fewest digits.
    private static (double Intercept, double Slope) Solve(IReadOnlyList<FitPoint> points)
    {
        var (meanX, meanY) = (points.Average(point => point.X), points.Average(point => point.Y));
        var slope = points.Sum(point => (point.X - meanX) * (point.Y - meanY))
            / points.Sum(point => (point.X - meanX) * (point.X - meanX));
        return (meanY - (slope * meanX), slope);
    }

    private static Fit Judged(IReadOnlyList<FitPoint> points, double constant, double perUnit, double exponent)
    {
        var fit = new Fit(constant, perUnit, exponent, 0, []);
        double[] residuals = [.. points.Select(point => point.Y - fit.At(point.X))];
        var mean = points.Average(point => point.Y);
        var variance = points.Sum(point => (point.Y - mean) * (point.Y - mean));
        var unexplained = residuals.Sum(residual => residual * residual);

        // Costs that are all alike have no variance to explain.
        var r2 = variance > 0 ? 1 - (unexplained / variance) : 1;
        return fit with { R2 = r2, Residuals = residuals };
    }

    // Three digits that say something; no more than six behind the point, and none of a great number.
    private static string Short(double value)
    {
        var decimals = value == 0 ? 0 : Math.Clamp(2 - (int)Math.Floor(Math.Log10(Math.Abs(value))), 0, 6);
        return Math.Round(value, decimals).ToString("0.######", CultureInfo.InvariantCulture);
    }
}
