namespace Sc2Bridge.Bench;

/// <summary>Many measurements of one thing, summed up.</summary>
/// <param name="Count">How many.</param>
/// <param name="P50">The middle, by nearest rank, as the other two.</param>
/// <param name="P90">What one in ten exceeds.</param>
/// <param name="P99">What one in a hundred exceeds.</param>
/// <param name="Max">The greatest.</param>
/// <param name="Mean">The plain mean.</param>
/// <param name="Jitter">The mean difference between one and the next.</param>
/// <param name="Percentiles">From the least (0) to the greatest (100), each by nearest rank.</param>
internal sealed record Distribution(
    int Count,
    double P50,
    double P90,
    double P99,
    double Max,
    double Mean,
    double Jitter,
    IReadOnlyList<double> Percentiles)
{
    /// <summary>Of values in the order in which they were measured; null of none.</summary>
    public static Distribution? Of(IReadOnlyList<double> values)
    {
        if (values.Count == 0)
        {
            return null;
        }

        var sorted = values.Order().ToArray();
        var steps = 0.0;
        for (var index = 1; index < values.Count; index++)
        {
            steps += Math.Abs(values[index] - values[index - 1]);
        }

        return new Distribution(
            sorted.Length,
            At(50),
            At(90),
            At(99),
            sorted[^1],
            sorted.Average(),
            steps / Math.Max(1, values.Count - 1),
            [.. Enumerable.Range(0, 101).Select(percent => At(percent))]);

        double At(int percent) => sorted[Math.Max(0, (int)Math.Ceiling(percent / 100.0 * sorted.Length) - 1)];
    }
}
