namespace Sc2Bridge.Bench;

/// <summary>Many measurements of one thing, summed up.</summary>
/// <param name="Count">How many.</param>
/// <param name="P50">The middle, by nearest rank, as the other two.</param>
/// <param name="P90">What one in ten exceeds.</param>
/// <param name="P99">What one in a hundred exceeds.</param>
/// <param name="Max">The greatest.</param>
/// <param name="Mean">The plain mean.</param>
/// <param name="Jitter">The mean difference between one and the next.</param>
internal sealed record Distribution(
    int Count, double P50, double P90, double P99, double Max, double Mean, double Jitter)
{
    /// <summary>Of values in the order in which they were measured; null of none.</summary>
    public static Distribution? Of(IReadOnlyList<double> values)
    {
        if (values.Count == 0)
        {
            return null;
        }

        var steps = 0.0;
        for (var index = 1; index < values.Count; index++)
        {
            steps += Math.Abs(values[index] - values[index - 1]);
        }

        return new Distribution(
            values.Count,
            Statistics.Quantile(values, 0.5),
            Statistics.Quantile(values, 0.9),
            Statistics.Quantile(values, 0.99),
            values.Max(),
            values.Average(),
            steps / Math.Max(1, values.Count - 1));
    }
}
