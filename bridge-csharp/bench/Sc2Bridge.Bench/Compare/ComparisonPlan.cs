using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>Measurements that differ in one respect, and so stand in one table.</summary>
/// <param name="Name">In what they differ.</param>
/// <param name="Baseline">What the others are held against.</param>
/// <param name="Measurements">All of them, the baseline among them.</param>
internal sealed record Factor(string Name, Measurement Baseline, IReadOnlyList<Measurement> Measurements);

/// <summary>What can be measured on this machine.</summary>
/// <param name="Pythons">Python interpreters with the package: at least one.</param>
/// <param name="Unix">Whether Unix sockets are.</param>
/// <param name="Memory">Whether memory can be shared.</param>
/// <param name="Links">Speeds of links that can be made, in Mbit/s.</param>
internal sealed record Means(int Pythons, bool Unix, bool Memory, IReadOnlyList<double> Links);

/// <summary>
/// What is measured: one factor at a time is varied from <see cref="Measurement.Baseline"/>, so that the measurements are
/// tens and not thousands. The modes are the exception, being what is compared: each is measured at every rate, with
/// every compression, with every agent.
/// </summary>
internal sealed record ComparisonPlan
{
    // What a measurement takes beside its warm-up and its seconds: subscribing, ending.
    private const double BetweenSeconds = 0.15;

    // Those that leave the machine.
    private static readonly Mode[] _remote = [Mode.Grpc, Mode.Binary, Mode.Json];

    public required IReadOnlyList<Factor> Factors { get; init; }

    /// <summary>Searches for the load that is too much.</summary>
    public IReadOnlyList<BreakingPlan> Searches { get; init; } = [];

    /// <summary>How often each measurement is measured.</summary>
    public required int Rounds { get; init; }

    /// <summary>How long each time, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>What is received before that and not counted, in seconds.</summary>
    public required double WarmUpSeconds { get; init; }

    /// <summary>How long a search tries a load, in seconds.</summary>
    public double SearchSeconds { get; init; } = BreakingPlan.UsualSeconds;

    /// <summary>What a measurement takes each time, in seconds.</summary>
    public double MeasurementSeconds => Seconds + WarmUpSeconds + BetweenSeconds;

    /// <summary>What it takes in the round that is not kept: half of what is measured.</summary>
    public double WarmUpMeasurementSeconds => (Seconds / 2) + BetweenSeconds;

    /// <summary>What there is to ask for.</summary>
    public IEnumerable<string> Names => Factors.Select(factor => factor.Name).Append(BreakingPlan.Table);

    /// <summary>Steps that a measurement receives at the game's rate, and a second's more.</summary>
    public int StepsReceived => (int)Math.Ceiling((WarmUpSeconds + Seconds + 1) * Measurement.GameRate);

    public IReadOnlyList<Measurement> Measurements => [.. Factors.SelectMany(factor => factor.Measurements).Distinct()];

    /// <summary>
    /// How long it takes: a round more than is counted, in which programs start and code gets warm, at half the length.
    /// </summary>
    public TimeSpan Estimate => TimeSpan.FromSeconds(
        (Measurements.Count * ((Rounds * MeasurementSeconds) + WarmUpMeasurementSeconds))
        + (Searches.Count * BreakingPlan.EstimateSeconds(SearchSeconds)));

    /// <summary>What answers the question within a minute: the modes at both rates, yardsticks, group zstd.</summary>
    public static ComparisonPlan Quick(Means means) => new()
    {
        Factors =
        [
            Transports(Modes(means), [16, Measurement.GameRate]),
            Yardsticks(Modes(means)),
            new(
                "compression",
                Measurement.Baseline,
                [Measurement.Baseline, Measurement.Baseline with { Packing = Packing.GroupZstd }]),
        ],
        Rounds = 3,
        Seconds = 0.6,
        WarmUpSeconds = 0.25,
    };

    /// <summary>Everything that the machine has the means for.</summary>
    public static ComparisonPlan Full(Means means) => new()
    {
        Factors =
        [
            Transports(Modes(means), [16, Measurement.GameRate, 0]),
            Yardsticks(Modes(means)),
            Of(_remote, "compression", Enum.GetValues<Packing>().Select(packing => Measurement.Baseline with { Packing = packing })),
            Of(Modes(means), "content", ((bool[])[false, true]).Select(columns => Measurement.Baseline with { Columns = columns })),
            Subscribers(Modes(means)),
            Agents(means),
            Of(Modes(means), "policy", ((Policy[])[Policy.Every, Policy.Latest]).Select(policy => Measurement.Baseline with { Policy = policy })),
            Of(Modes(means), "round trips", [Measurement.Baseline with { Rate = 0, Policy = Policy.Lockstep }]),
            .. means.Unix
                ? [Sockets(means)]
                : Array.Empty<Factor>(),
            .. means.Links.Select(Link),
        ],
        Searches = BreakingPlan.All(Modes(means)),
        Rounds = 5,
        Seconds = 5,
        WarmUpSeconds = 1,
    };

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

        // Of the searches a part of what they have in common must be named: all have a mode and a rate.
        return this with
        {
            Factors = kept,
            Searches = [.. Searches.Where(search => words.Any(word => Is(word, "breaking") && Is(search.Name, word)))],
        };

        bool Has(string text) => words.Any(word => Is(text, word));

        static bool Is(string name, string word) => name.Contains(word, StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>The order of a round: another in each, so that no measurement always follows the same one.</summary>
    public IReadOnlyList<Measurement> Order(int round)
    {
        var measurements = Measurements.ToArray();
        new Random(round).Shuffle(measurements);
        return measurements;
    }

    private static Mode[] Modes(Means means) => means.Memory ? [.. _remote, Mode.Memory] : _remote;

    // Each over every mode.
    private static Factor Of(IReadOnlyList<Mode> modes, string name, IEnumerable<Measurement> measurements)
    {
        Measurement[] all = [.. measurements];
        return new(
            name, all[0], [.. modes.SelectMany(mode => all.Select(measurement => measurement with { Mode = mode }))]);
    }

    private static Factor Transports(IReadOnlyList<Mode> modes, IEnumerable<double> rates) => new(
        "transports",
        Measurement.Baseline,
        [.. rates.SelectMany(rate => modes.Select(mode => Measurement.Baseline with { Mode = mode, Rate = rate }))]);

    private static Factor Yardsticks(IReadOnlyList<Mode> modes)
    {
        var raw = Measurement.Baseline with { Sender = Sender.Raw };
        return new(
            "yardsticks",
            raw,
            [
                raw,
                .. modes.SelectMany(mode => ((Sender[])[Sender.Bare, Sender.Bridge]).Select(sender =>
                    Measurement.Baseline with { Mode = mode, Sender = sender })),
            ]);
    }

    // Raw TCP beside them: what so many writes cost where nothing else is done.
    private static Factor Subscribers(IReadOnlyList<Mode> modes)
    {
        int[] counts = [1, 8, 64];
        return new(
            "subscribers",
            Measurement.Baseline,
            [
                .. counts.Select(count => Measurement.Baseline with { Sender = Sender.Raw, Subscribers = count }),
                .. modes.SelectMany(mode =>
                    counts.Select(count => Measurement.Baseline with { Mode = mode, Subscribers = count })),
            ]);
    }

    // What stays on the machine, each beside the least that can be done on such a socket.
    private static Factor Sockets(Means means)
    {
        Measurement[] both = [Measurement.Baseline, Measurement.Baseline with { Unix = true }];
        return new(
            "socket",
            Measurement.Baseline,
            [
                .. both,
                .. both.Select(measurement => measurement with { Sender = Sender.Raw }),
                .. means.Memory ? [Measurement.Baseline with { Mode = Mode.Memory }] : Array.Empty<Measurement>(),
            ]);
    }

    private static Factor Agents(Means means) => Of(
        Modes(means),
        "agents",
        [
            .. ((AgentKind[])[AgentKind.Python, AgentKind.Asyncio, AgentKind.Csharp]).Select(kind =>
                Measurement.Baseline with { Agent = kind }),
            .. Enumerable.Range(1, means.Pythons - 1).Select(python => Measurement.Baseline with { Python = python }),
        ]);

    private static Factor Link(double mbit)
    {
        var baseline = Measurement.Baseline with { LinkMbit = mbit };
        return Of(
            _remote,
            FormattableString.Invariant($"link of {mbit} Mbit/s"),
            [baseline, baseline with { Packing = Packing.GroupZstd }, baseline with { Policy = Policy.Latest }]);
    }
}
