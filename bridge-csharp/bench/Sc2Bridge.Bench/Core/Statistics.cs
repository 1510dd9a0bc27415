namespace Sc2Bridge.Bench;

/// <summary>Order statistics of repeated measurements.</summary>
internal static class Statistics
{
    /// <summary>The nearest-rank quantile; NaN if there are no values.</summary>
    public static double Quantile(IEnumerable<double> values, double fraction)
    {
        var sorted = values.Order().ToArray();
        return sorted.Length == 0
            ? double.NaN
            : sorted[Math.Clamp((int)Math.Ceiling(fraction * sorted.Length) - 1, 0, sorted.Length - 1)];
    }

    /// <summary>The middle one, or the mean of the two in the middle.</summary>
    public static double Median(IEnumerable<double> values)
    {
        var sorted = values.Order().ToArray();
        return sorted.Length == 0 ? double.NaN : (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }
}

/// <summary>The median of a figure over the rounds, and the least and the most that a round gave.</summary>
internal readonly record struct Spread(double Median, double Least, double Most)
{
    public static Spread Of(IEnumerable<double> rounds)
    {
        double[] all = [.. rounds];
        return all.Length == 0 ? new Spread(double.NaN, double.NaN, double.NaN) : new Spread(Statistics.Median(all), all.Min(), all.Max());
    }
}

/// <summary>Many measurements of one thing.</summary>
/// <param name="Count">How many.</param>
/// <param name="P50">The middle, by nearest rank, as the other two.</param>
/// <param name="P90">What one in ten exceeds.</param>
/// <param name="P99">What one in a hundred exceeds.</param>
/// <param name="Max">The greatest.</param>
/// <param name="Mean">The plain mean.</param>
/// <param name="Jitter">The mean difference between one and the next.</param>
internal sealed record Distribution(int Count, double P50, double P90, double P99, double Max, double Mean, double Jitter)
{
    /// <summary>Of values in their order of measurement; null without a value.</summary>
    public static Distribution? Of(IReadOnlyList<double> values) => values.Count == 0 ? null : new(
        values.Count, Statistics.Quantile(values, 0.5), Statistics.Quantile(values, 0.9), Statistics.Quantile(values, 0.99),
        values.Max(), values.Average(),
        values.Skip(1).Zip(values, (next, one) => Math.Abs(next - one)).Sum() / Math.Max(1, values.Count - 1));
}

/// <summary>The straight line through measured points by least squares: a figure's growth with a number.</summary>
/// <param name="At0">The figure at 0.</param>
/// <param name="ForEach">What each one more adds.</param>
/// <param name="R2">How much of what the figures differ by the line explains: 1 is all.</param>
internal readonly record struct LineFit(double At0, double ForEach, double R2)
{
    /// <summary>Fits; NaN if there are not two different numbers.</summary>
    public static LineFit Of(IReadOnlyCollection<(double X, double Y)> points)
    {
        var (x, y) = (points.Average(point => point.X), points.Average(point => point.Y));
        var xx = points.Sum(point => (point.X - x) * (point.X - x));
        var xy = points.Sum(point => (point.X - x) * (point.Y - y));
        var yy = points.Sum(point => (point.Y - y) * (point.Y - y));
        return new LineFit(y - (xy / xx * x), xy / xx, xy * xy / (xx * yy));
    }
}
