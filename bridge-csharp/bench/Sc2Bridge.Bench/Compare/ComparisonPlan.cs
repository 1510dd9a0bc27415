using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>Measurements that differ in one respect, and so stand in one table.</summary>
/// <param name="Name">In what they differ.</param>
/// <param name="Baseline">What the others are held against.</param>
/// <param name="Measurements">All of them, the baseline among them.</param>
internal sealed record Factor(string Name, Measurement Baseline, IReadOnlyList<Measurement> Measurements);

/// <summary>What can be measured on this machine.</summary>
/// <param name="Pythons">Python interpreters with the package: at least one.</param>
/// <param name="Node">Whether Node and its packages are there.</param>
/// <param name="Unix">Whether Unix sockets are.</param>
/// <param name="Links">Speeds of links that can be made, in Mbit/s.</param>
/// <param name="PythonSc2">Which of the Python interpreters has python-sc2, from 0; null where none has.</param>
internal sealed record Means(
    int Pythons, bool Node, bool Unix, IReadOnlyList<double> Links, int? PythonSc2 = null)
{
    /// <summary>Other game loops of the match than the comparison's own: their observations differ in size.</summary>
    public IReadOnlyList<uint> Loops { get; init; } = [];
}

/// <summary>
/// What is measured: one factor at a time is varied from <see cref="Measurement.Baseline"/>, so that the measurements are tens and
/// not thousands. The three modes are the exception, being what is compared: each is measured at every rate, with every
/// compression, with every agent.
/// </summary>
internal sealed record ComparisonPlan
{
    // What a measurement takes beside its warm-up and its seconds: subscribing, ending.
    private const double BetweenSeconds = 0.15;

    private static readonly Mode[] Modes = [Mode.Grpc, Mode.Binary, Mode.Json];

    /// <summary>The tables.</summary>
    public required IReadOnlyList<Factor> Factors { get; init; }

    /// <summary>How often each measurement is measured.</summary>
    public required int Rounds { get; init; }

    /// <summary>How long each time, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>What is received before that and not counted, in seconds.</summary>
    public required double WarmUpSeconds { get; init; }

    /// <summary>How cost grows, and where it becomes too much; null where that is not measured.</summary>
    public ScalePlan? Scale { get; init; }

    /// <summary>Whether each measurement is received once before it is measured; else one of each mode.</summary>
    public bool WarmsEach { get; init; } = true;

    /// <summary>What a measurement takes each time, in seconds.</summary>
    public double MeasurementSeconds => Seconds + WarmUpSeconds + BetweenSeconds;

    /// <summary>What it takes in the round that is not kept: half of what is measured.</summary>
    public double WarmUpMeasurementSeconds => (Seconds / 2) + BetweenSeconds;

    /// <summary>What there is to ask for: the tables, and what there is of scale.</summary>
    public IReadOnlyList<string> Names => [.. Factors.Select(factor => factor.Name), .. Scale?.Names ?? []];

    /// <summary>Steps that a measurement receives at the game's rate, and a second's more.</summary>
    public int StepsReceived => (int)Math.Ceiling((WarmUpSeconds + Seconds + 1) * Measurement.GameRate);

    /// <summary>Every measurement once.</summary>
    public IReadOnlyList<Measurement> Measurements => [.. Factors.SelectMany(factor => factor.Measurements).Distinct()];

    /// <summary>
    /// How long it takes: a round more than is counted, in which programs start and code gets warm, at half the length.
    /// </summary>
    public TimeSpan Estimate => TimeSpan.FromSeconds(
        (Measurements.Count * Rounds * MeasurementSeconds) + (WarmUpWith(Measurements).Count * WarmUpMeasurementSeconds))
        + (Scale?.Estimate ?? TimeSpan.Zero);

    /// <summary>What answers the question within a minute: the modes at both rates, yardsticks, group zstd.</summary>
    public static ComparisonPlan Quick(Means means)
    {
        return new ComparisonPlan
        {
            Factors = [Transports([16, Measurement.GameRate]), Yardsticks(means), Grouped()],
            Rounds = 3,
            Seconds = 0.8,
            WarmUpSeconds = 0.25,
        };
    }

    /// <summary>Everything that the machine has the means for.</summary>
    public static ComparisonPlan Full(Means means)
    {
        List<Factor> factors =
        [
            Transports([16, Measurement.GameRate, 0]),
            Yardsticks(means),
            Compression(),
            new("content", Measurement.Baseline, [.. Modes.SelectMany(mode =>
                ((bool[])[false, true]).Select(columns => Over(mode) with { Columns = columns }))]),
            Subscribers(),
            Agents(means),
            new("policy", Measurement.Baseline, [.. Modes.SelectMany(mode =>
                ((Policy[])[Policy.Every, Policy.Latest]).Select(receiving => Over(mode) with { Policy = receiving }))]),
            new(
                "round trips",
                Lockstep(Mode.Grpc),
                [.. Modes.Select(Lockstep), .. Polled(Lockstep(Mode.Binary), means)]),
        ];
        if (means.Unix)
        {
            factors.Add(new("socket", Measurement.Baseline, [Measurement.Baseline, Measurement.Baseline with { Unix = true }]));
        }

        foreach (var link in means.Links)
        {
            factors.Add(Link(link));
        }

        return new ComparisonPlan
        {
            Factors = factors,
            Rounds = 5,
            Seconds = 5,
            WarmUpSeconds = 1,
            Scale = ScalePlan.Full(Modes, means.Loops),
        };
    }

    /// <summary>Only what has a word of these in its table's name or in its own; all where there are none.</summary>
    public ComparisonPlan Only(IReadOnlyList<string> words)
    {
        if (words.Count == 0)
        {
            return this;
        }

        List<Factor> kept = [];
        foreach (var factor in Factors)
        {
            var measurements = Has(factor.Name)
                ? factor.Measurements
                : [.. factor.Measurements.Where(measurement => Has(measurement.Name) || Has(measurement.Id))];
            if (measurements.Count > 0)
            {
                kept.Add(factor with { Measurements = measurements });
            }
        }

        return this with { Factors = kept, Scale = Scale?.Only(words) };

        bool Has(string text) => words.Any(word => text.Contains(word, StringComparison.OrdinalIgnoreCase));
    }

    /// <summary>The order of a round: another in each, so that no measurement always follows the same one.</summary>
    /// <param name="round">From 0.</param>
    public IReadOnlyList<Measurement> Order(int round)
    {
        var measurements = Measurements.ToArray();
        new Random(round).Shuffle(measurements);
        return measurements;
    }

    /// <summary>What of some measurements is received before anything is measured.</summary>
    internal IReadOnlyList<Measurement> WarmUpWith(IEnumerable<Measurement> measurements) => WarmsEach
        ? [.. measurements.Distinct()]
        : [.. measurements.GroupBy(measurement => measurement.Mode).Select(group => group.MaxBy(measurement => measurement.Subscribers)!)];

    private static Measurement Over(Mode mode) => Measurement.Baseline with { Mode = mode };

    private static Measurement Lockstep(Mode mode) => Over(mode) with { Rate = 0, Policy = Policy.Lockstep };

    private static Factor Transports(IEnumerable<double> rates) => new(
        "transports",
        Measurement.Baseline,
        [.. rates.SelectMany(rate => Modes.Select(mode => Over(mode) with { Rate = rate }))]);

    // By python-sc2's own client in place of the bridge.
    private static IEnumerable<Measurement> Polled(Measurement measurement, Means means) =>
        means.PythonSc2 is { } python ? [measurement with { Sender = Sender.Game, Python = python }] : [];

    private static Factor Yardsticks(Means means) => new(
        "yardsticks",
        Measurement.Baseline with { Sender = Sender.Raw },
        [
            Measurement.Baseline with { Sender = Sender.Raw },
            Over(Mode.Grpc) with { Sender = Sender.Bare }, Over(Mode.Grpc),
            Over(Mode.Binary) with { Sender = Sender.Bare }, Over(Mode.Binary),
            Over(Mode.Json) with { Sender = Sender.Bare }, Over(Mode.Json),
            .. Polled(Over(Mode.Binary), means),
        ]);

    // Raw TCP beside them: what so many writes cost where nothing else is done.
    private static Factor Subscribers()
    {
        int[] counts = [1, 8, 64];
        return new(
            "subscribers",
            Measurement.Baseline,
            [
                .. counts.Select(count => Measurement.Baseline with { Sender = Sender.Raw, Subscribers = count }),
                .. Modes.SelectMany(mode => counts.Select(count => Over(mode) with { Subscribers = count })),
            ]);
    }

    private static Factor Compression()
    {
        Packing[] packings = [Packing.None, Packing.Deflate, Packing.Zstd, Packing.GroupZstd];
        return new(
            "compression",
            Measurement.Baseline,
            [.. Modes.SelectMany(mode => packings.Select(packing => Over(mode) with { Packing = packing }))]);
    }

    private static Factor Grouped() => new(
        "compression",
        Measurement.Baseline,
        [Measurement.Baseline, Measurement.Baseline with { Packing = Packing.GroupZstd }]);

    private static Factor Agents(Means means)
    {
        List<AgentKind> kinds = [AgentKind.Python, AgentKind.Asyncio, AgentKind.Csharp];
        if (means.Node)
        {
            kinds.Add(AgentKind.Node);
        }

        var all = Modes.SelectMany(mode => kinds.Select(kind => Over(mode) with { Agent = kind }));
        var pythons = Enumerable.Range(1, Math.Max(0, means.Pythons - 1))
            .SelectMany(python => Modes.Select(mode => Over(mode) with { Python = python }));
        return new("agents", Measurement.Baseline, [.. all, .. pythons]);
    }

    private static Factor Link(double mbit)
    {
        var baseline = Measurement.Baseline with { LinkMbit = mbit };
        List<Measurement> measurements = [];
        foreach (var mode in Modes)
        {
            Packing[] packings = [Packing.None, Packing.GroupZstd];
            measurements.AddRange(packings.Select(packing => baseline with { Mode = mode, Packing = packing }));
            measurements.Add(baseline with { Mode = mode, Policy = Policy.Latest });
        }

        return new(FormattableString.Invariant($"link of {mbit} Mbit/s"), baseline, measurements);
    }
}
