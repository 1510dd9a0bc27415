
namespace Sc2Bridge.Bench;

/// <summary>A measurement in a table: its figures over the rounds, and what they are in times others.</summary>
internal sealed record MeasurementRow
{
    /// <summary>Which.</summary>
    public required Measurement Measurement { get; init; }

    /// <summary>What a person reads.</summary>
    public string Name => Measurement.Name;

    /// <summary>The agent's library and version.</summary>
    public required string Agent { get; init; }

    /// <summary>Rounds with a result.</summary>
    public required int Rounds { get; init; }

    /// <summary>By <see cref="Figure.Key"/>; those that were measured.</summary>
    public required IReadOnlyDictionary<string, Spread> Figures { get; init; }

    /// <summary>The time to holding the message, in times the table's baseline; null for that itself, and
    /// where one of the two is at <c>max</c> and the other not.</summary>
    public Ratio? HeldToBaseline { get; init; }

    /// <summary>The time to holding it parsed, in times the table's baseline.</summary>
    public Ratio? ParsedToBaseline { get; init; }

    /// <summary>The time to holding it, in times raw TCP at the same rate.</summary>
    public Ratio? HeldToRaw { get; init; }

    /// <summary>
    /// The time to holding it, in times the bare handler of the same transport at the same rate; that of JSON has
    /// Google.Protobuf's formatter.
    /// </summary>
    public Ratio? HeldToBare { get; init; }

    /// <summary>The sender's processor time, in times the same bare handler's.</summary>
    public Ratio? CpuToBare { get; init; }

    /// <summary>The same in times raw TCP to as many subscribers.</summary>
    public Ratio? CpuToRaw { get; init; }

    /// <summary>The time to holding it parsed, in times python-sc2's own client on the game's API.</summary>
    public Ratio? ParsedToPolled { get; init; }

    /// <summary>What went wrong in rounds without a result.</summary>
    public required IReadOnlyList<string> Problems { get; init; }

    /// <summary>A figure's median; NaN where it was not measured.</summary>
    public double Median(Figure figure)
    {
        return Figures.TryGetValue(figure.Key, out var spread) ? spread.Median : double.NaN;
    }

    /// <summary>Sums up a measurement's rounds.</summary>
    /// <param name="measurement">Which.</param>
    /// <param name="baseline">The table's.</param>
    /// <param name="all">Every run of every measurement.</param>
    public static MeasurementRow Of(Measurement measurement, Measurement baseline, ILookup<string, MeasurementRun> all)
    {
        var runs = Good(measurement);

        // At max a queue's time is in it, which nothing with a rate is held against.
        var others = measurement == baseline || measurement.PeriodUs is null != baseline.PeriodUs is null ? null : Good(baseline);
        var bare = measurement.Sender == Sender.Bridge ? Yardstick(Sender.Bare, measurement.Mode) : null;
        var raw = measurement.Sender == Sender.Raw ? null : Yardstick(Sender.Raw, Mode.Grpc);
        return new MeasurementRow
        {
            Measurement = measurement,
            Agent = runs is [var first, ..] ? first.Agent : "",
            Rounds = runs.Count,
            Figures = Figure.Spreads(Figure.All, runs),
            HeldToBaseline = others is null ? null : Ratio.Of(Figure.HeldP50, runs, others),
            ParsedToBaseline = others is null ? null : Ratio.Of(Figure.ParsedP50, runs, others),
            HeldToRaw = raw is null ? null : Ratio.Of(Figure.HeldP50, runs, raw),
            HeldToBare = bare is null ? null : Ratio.Of(Figure.HeldP50, runs, bare),
            CpuToBare = bare is null ? null : Ratio.Of(Figure.SenderCpu, runs, bare),
            CpuToRaw = raw is null ? null : Ratio.Of(Figure.SenderCpu, runs, raw),
            ParsedToPolled = measurement.Sender != Sender.Bridge || Place(measurement) != Place(Polled(measurement))
                ? null
                : Ratio.Of(Figure.ParsedP50, runs, Good(Polled(measurement))),
            Problems = [.. all[measurement.Id].Select(run => run.Problem).OfType<string>().Distinct()],
        };

        List<MeasurementRun> Good(Measurement which) =>
            [.. all[which.Id].Where(run => run.Problem is null).OrderBy(run => run.Round)];

        // Only what was measured at the same rate, on the same kind of agent.
        List<MeasurementRun>? Yardstick(Sender sender, Mode mode)
        {
            var yardstick = Measurement.Baseline with { Sender = sender, Mode = mode, Subscribers = measurement.Subscribers };
            return Place(measurement) == Place(yardstick) ? Good(yardstick) : null;
        }
    }

    // As python-sc2 would have it: at the same rate, in the same way, on the same Python.
    private static Measurement Polled(Measurement measurement) => Measurement.Baseline with
    {
        Sender = Sender.Game,
        Mode = Mode.Binary,
        Rate = measurement.Rate,
        Python = measurement.Python,
        Policy = measurement.Policy,
    };

    private static (double, AgentKind, int, int, double, bool) Place(Measurement measurement) =>
        (measurement.Rate, measurement.Agent, measurement.Python, measurement.Subscribers, measurement.LinkMbit, measurement.Unix);
}
