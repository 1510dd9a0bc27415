namespace Sc2Bridge.Bench;

/// <summary>Order statistics of repeated measurements.</summary>
internal static class Statistics
{
    /// <summary>The nearest-rank quantile; NaN where there are no values.</summary>
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
    /// <summary>Over one value a round.</summary>
    public static Spread Of(IReadOnlyCollection<double> rounds) => rounds.Count == 0
        ? new Spread(double.NaN, double.NaN, double.NaN)
        : new Spread(Statistics.Median(rounds), rounds.Min(), rounds.Max());
}
