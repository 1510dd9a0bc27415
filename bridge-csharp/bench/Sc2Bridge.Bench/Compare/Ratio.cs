using System.Text.Json.Serialization;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// The ratio of two measurements. It is taken within each round, because a disturbance of a round affects both. Of these
/// ratios it has the median, the least and the most.
/// </summary>
/// <param name="Rounds">How many rounds both have.</param>
/// <param name="Median">The middle ratio.</param>
/// <param name="Least">The smallest.</param>
/// <param name="Most">The largest.</param>
internal sealed record Ratio(int Rounds, double Median, double Least, double Most)
{
    /// <summary>Fewer rounds than this cannot exclude chance.</summary>
    public const int FewestRounds = 3;

    /// <summary>
    /// Whether chance can explain the ratio: it was above 1 in some rounds and below 1 in others, or there were too few rounds.
    /// </summary>
    public bool WithinNoise => Rounds < FewestRounds || (Least <= 1 && Most >= 1);

    [JsonIgnore]
    public string Text => Number(Median) + (WithinNoise ? " (within the noise)" : $" ({Number(Least)}–{Number(Most)})");

    /// <summary>A figure of one measurement in times the same of another.</summary>
    public static Ratio? Of(Figure figure, IEnumerable<MeasurementRun> runs, IEnumerable<MeasurementRun> others)
    {
        var ratios = runs
            .Join(others, run => run.Round, other => other.Round, (run, other) => figure.Get(run) / figure.Get(other))
            .OfType<double>()
            .Where(double.IsFinite)
            .ToList();
        var spread = Spread.Of(ratios);
        return ratios.Count == 0 ? null : new Ratio(ratios.Count, spread.Median, spread.Least, spread.Most);
    }

    // Two decimals, more for a very small ratio.
    private static string Number(double ratio) => ratio < 0.01 ? Invariant($"{ratio:0.####}") : Invariant($"{ratio:0.00}");
}

/// <summary>A figure of a table's rows in times that of other measurements, as the JSON has it.</summary>
/// <param name="Key">Its name.</param>
/// <param name="Figure">Which figure.</param>
/// <param name="Other">
/// The measurement that a row is compared with, given its table's baseline; null if none differs from it in one thing only.
/// </param>
internal sealed record RatioColumn(string Key, Figure Figure, Func<Measurement, Measurement, Measurement?> Other)
{
    public static RatioColumn ParsedToBaseline { get; } = new("parsed_to_baseline", Figure.ParsedP50, Baseline);

    /// <summary>Bare is the handler of the same transport; that of JSON has Google.Protobuf's formatter.</summary>
    public static RatioColumn HeldToBare { get; } = new("held_to_bare", Figure.HeldP50, Bare);

    public static RatioColumn HeldToRaw { get; } = new("held_to_raw", Figure.HeldP50, Raw);

    public static RatioColumn CpuToRaw { get; } = new("bridge_cpu_to_raw", Figure.SenderCpu, Raw);

    public static IReadOnlyList<RatioColumn> All { get; } =
    [
        new("held_to_baseline", Figure.HeldP50, Baseline),
        ParsedToBaseline,
        HeldToBare,
        HeldToRaw,
        new("bridge_cpu_to_bare", Figure.SenderCpu, Bare),
        CpuToRaw,
    ];

    // At max the time includes waiting in a queue, so it is not compared with a measurement at a rate.
    private static Measurement? Baseline(Measurement measurement, Measurement baseline) =>
        measurement == baseline || measurement.PeriodUs is null != baseline.PeriodUs is null ? null : baseline;

    private static Measurement? Bare(Measurement measurement, Measurement baseline) =>
        measurement.Sender == Sender.Bridge ? Yardstick(measurement, Sender.Bare, measurement.Mode) : null;

    private static Measurement? Raw(Measurement measurement, Measurement baseline) =>
        measurement.Sender == Sender.Raw ? null : Yardstick(measurement, Sender.Raw, Mode.Grpc);

    // Only measurements at the same rate and with the same kind of agent are compared.
    private static Measurement? Yardstick(Measurement measurement, Sender sender, Mode mode)
    {
        var yardstick = Measurement.Baseline with { Sender = sender, Mode = mode, Subscribers = measurement.Subscribers };
        return Place(measurement) == Place(yardstick) ? yardstick : null;
    }

    private static (double, AgentKind, int, double, bool) Place(Measurement measurement) =>
        (measurement.Rate, measurement.Agent, measurement.Python, measurement.LinkMbit, measurement.Unix);
}
