namespace Sc2Bridge.Bench;

/// <summary>A table's row: a measurement's figures over the rounds, and its ratios to other measurements.</summary>
/// <param name="Measurement">The measurement.</param>
/// <param name="Agent">The receiving library and its version.</param>
/// <param name="Rounds">Number of rounds with a result.</param>
/// <param name="Figures">The measured figures, by <see cref="Figure.Key"/>.</param>
/// <param name="Ratios">The available ratios, by <see cref="RatioColumn.Key"/>.</param>
/// <param name="Problems">The errors of rounds without a result.</param>
internal sealed record MeasurementRow(
    Measurement Measurement, string Agent, int Rounds, IReadOnlyDictionary<string, Spread> Figures,
    IReadOnlyDictionary<string, Ratio> Ratios, IReadOnlyList<string> Problems)
{
    public string Name => Measurement.Name;

    public static MeasurementRow Of(Measurement measurement, Measurement baseline, ILookup<string, MeasurementRun> all)
    {
        var runs = Good(measurement);
        var ratios = RatioColumn.All.Select(column => (
            column.Key,
            Ratio: column.Other(measurement, baseline) is { } other ? Ratio.Of(column.Figure, runs, Good(other)) : null));
        return new MeasurementRow(
            measurement, runs is [var first, ..] ? first.Agent : "", runs.Count, Figure.Spreads(runs),
            ratios.Where(column => column.Ratio is not null).ToDictionary(column => column.Key, column => column.Ratio!),
            [.. all[measurement.Id].Select(run => run.Problem).OfType<string>().Distinct()]);

        List<MeasurementRun> Good(Measurement which) =>
            [.. all[which.Id].Where(run => run.Problem is null).OrderBy(run => run.Round)];
    }

    /// <summary>A figure's median; NaN if it was not measured.</summary>
    public double Median(Figure figure) => Figures.TryGetValue(figure.Key, out var spread) ? spread.Median : double.NaN;

    /// <summary>A ratio; null if it was not measured.</summary>
    public Ratio? RatioTo(RatioColumn column) => Ratios.GetValueOrDefault(column.Key);
}
