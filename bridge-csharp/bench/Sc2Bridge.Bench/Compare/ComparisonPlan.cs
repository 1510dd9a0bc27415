using Sc2Bridge.V1;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>Measurements that differ in one factor and form one table.</summary>
/// <param name="Name">The factor.</param>
/// <param name="Baseline">The measurement that the others are compared with.</param>
/// <param name="Measurements">All of them, including the baseline.</param>
internal sealed record Factor(string Name, Measurement Baseline, IReadOnlyList<Measurement> Measurements);

/// <summary>The abilities of this machine.</summary>
/// <param name="Pythons">Python interpreters with the package: at least one.</param>
/// <param name="Unix">Whether it supports Unix sockets.</param>
/// <param name="Memory">Whether it supports shared memory.</param>
/// <param name="Links">Speeds of links that can be simulated, in Mbit/s.</param>
internal sealed record Means(int Pythons, bool Unix, bool Memory, IReadOnlyList<double> Links);

/// <summary>
/// The plan of measurements. It varies one factor at a time from <see cref="Measurement.Baseline"/>, so that there are tens
/// of measurements and not thousands. The modes are the exception, because they are what is compared: each is measured at
/// every rate, with every compression and with every agent.
/// </summary>
internal sealed record ComparisonPlan
{
    /// <summary>The prefix of the names of tables that compare transports for an advice.</summary>
    public const string WaysTo = "ways to ";

    // The time of a measurement apart from its warm-up and its seconds: subscribing and ending.
    private const double BetweenSeconds = 0.15;

    // Modes that can leave the machine.
    private static readonly Mode[] _remote = [Mode.Grpc, Mode.Binary, Mode.Json];

    public required IReadOnlyList<Factor> Factors { get; init; }

    /// <summary>How often each measurement is measured.</summary>
    public required int Rounds { get; init; }

    /// <summary>How long each time, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>The warm-up before that, in seconds. Its frames are not counted.</summary>
    public required double WarmUpSeconds { get; init; }

    /// <summary>Steps that a measurement receives at the game's rate, plus those of one second.</summary>
    public int StepsReceived => (int)Math.Ceiling((WarmUpSeconds + Seconds + 1) * Measurement.GameRate);

    public IReadOnlyList<Measurement> Measurements => [.. Factors.SelectMany(factor => factor.Measurements).Distinct()];

    /// <summary>
    /// The estimated time in seconds. It includes one more round of half the length, for starting programs and warming up code.
    /// </summary>
    public double EstimateSeconds => Measurements.Count
        * ((Rounds * (Seconds + WarmUpSeconds + BetweenSeconds)) + (Seconds / 2) + BetweenSeconds);

    /// <summary>A plan of less than a minute: the modes at both rates, the overhead, group zstd.</summary>
    public static ComparisonPlan Quick(Means means)
    {
        var modes = Modes(means);
        return new()
        {
            Factors =
            [
                Transports(modes, [16, Measurement.GameRate]),
                Yardsticks(modes),
                Of([Mode.Grpc], "compression", [new(), new() { Packing = Packing.GroupZstd }]),
            ],
            Rounds = 3,
            Seconds = 0.6,
            WarmUpSeconds = 0.25,
        };
    }

    /// <summary>All measurements that the machine supports.</summary>
    public static ComparisonPlan Full(Means means)
    {
        var modes = Modes(means);
        return new()
        {
            Factors =
            [
                Transports(modes, [16, Measurement.GameRate, 0]),
                Yardsticks(modes),
                Of(_remote, "compression", Enum.GetValues<Packing>().Select(packing => new Measurement { Packing = packing })),
                Of(modes, "content", [new(), new() { Columns = true }]),
                Subscribers(modes),
                Agents(means, modes),
                Of(modes, "policy", [new(), new() { Policy = Policy.Latest }]),
                Of(modes, "round trips", [new() { Rate = 0, Policy = Policy.Lockstep }]),
                .. means.Unix ? [Sockets(means)] : Array.Empty<Factor>(),
                .. means.Links.Select(Link),
            ],
            Rounds = 5,
            Seconds = 5,
            WarmUpSeconds = 1,
        };
    }

    /// <summary>
    /// Compares the transports for one agent and several, at both rates, on this machine and over a link.
    /// </summary>
    /// <param name="means">The abilities of this machine.</param>
    /// <param name="agents">Number of concurrent agents, 1 for only one.</param>
    /// <param name="linkMbit">The link's speed, 0 for this machine only.</param>
    public static ComparisonPlan Choice(Means means, int agents, double linkMbit)
    {
        int[] counts = [.. new[] { 1, agents }.Distinct()];
        return new()
        {
            Factors =
            [
                .. counts.Select(count => Ways(Modes(means), count, 0)),
                .. counts.Where(_ => linkMbit > 0).Select(count => Ways(_remote, count, linkMbit)),
            ],
            Rounds = 5,
            Seconds = 2,
            WarmUpSeconds = 0.5,
        };
    }

    /// <summary>
    /// Each mode with both contents, uncompressed and in group zstd, at both rates; and 64 agents at once. docs/measurements has the table.
    /// </summary>
    public static ComparisonPlan Contents(Means means)
    {
        var kinds = from rate in (double[])[16, Measurement.GameRate]
                    from columns in (bool[])[false, true]
                    from packing in (Packing[])[Packing.None, Packing.GroupZstd]
                    select new Measurement { Rate = rate, Columns = columns, Packing = packing };
        return new()
        {
            Factors =
            [
                new("content", Measurement.Baseline, [.. Of(Modes(means), "", kinds).Measurements.Where(IsPossible)]),
                Of(Modes(means), "subscribers", [new(), new() { Subscribers = 64 }]),
            ],
            Rounds = 3,
            Seconds = 4,
            WarmUpSeconds = 0.5,
        };
    }

    /// <summary>Only measurements with one of these words in their own or their table's name. All if there are no words.</summary>
    public ComparisonPlan Only(IReadOnlyList<string> words)
    {
        var kept = Factors.Select(factor => Has(factor.Name)
            ? factor
            : factor with { Measurements = [.. factor.Measurements.Where(one => Has(one.Name) || Has(one.Id))] });
        return words.Count == 0 ? this : this with { Factors = [.. kept.Where(factor => factor.Measurements.Count > 0)] };

        bool Has(string text) => words.Any(word => text.Contains(word, StringComparison.OrdinalIgnoreCase));
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
        return new(name, all[0], [.. modes.SelectMany(mode => all.Select(measurement => measurement with { Mode = mode }))]);
    }

    private static Factor Transports(Mode[] modes, IEnumerable<double> rates) => new(
        "transports",
        Measurement.Baseline,
        [.. rates.SelectMany(rate => modes.Select(mode => new Measurement { Mode = mode, Rate = rate }))]);

    private static Factor Yardsticks(Mode[] modes)
    {
        var raw = new Measurement { Sender = Sender.Raw };
        return new("overhead", raw, [raw, .. Of(modes, "", [new() { Sender = Sender.Bare }, new()]).Measurements]);
    }

    // Also raw TCP: the cost of the writes alone.
    private static Factor Subscribers(Mode[] modes)
    {
        Measurement[] counts = [.. ((int[])[1, 8, 64]).Select(count => new Measurement { Subscribers = count })];
        return new(
            "subscribers",
            Measurement.Baseline,
            [.. counts.Select(count => count with { Sender = Sender.Raw }), .. Of(modes, "", counts).Measurements]);
    }

    // Local transports, each with the fastest possible use of the same kind of socket.
    private static Factor Sockets(Means means)
    {
        Measurement[] sockets =
            [new(), new() { Unix = true }, new() { Sender = Sender.Raw }, new() { Sender = Sender.Raw, Unix = true }];
        return new("socket", Measurement.Baseline, means.Memory ? [.. sockets, new() { Mode = Mode.Memory }] : sockets);
    }

    // An agent in C# has no package. It uses gRPC or the WebSocket.
    private static Factor Agents(Means means, Mode[] modes)
    {
        var inPython = Of(
            modes,
            "agents",
            [
                new(),
                new() { Agent = AgentKind.Asyncio },
                .. Enumerable.Range(1, means.Pythons - 1).Select(python => new Measurement { Python = python }),
            ]);
        var inCsharp = _remote.Select(mode => new Measurement { Agent = AgentKind.Csharp, Mode = mode });
        return inPython with { Measurements = [.. inPython.Measurements, .. inCsharp] };
    }

    // Frames in shared memory are not compressed.
    private static bool IsPossible(Measurement one) => one.Mode != Mode.Memory || one.Packing == Packing.None;

    private static Factor Ways(Mode[] modes, int agents, double linkMbit)
    {
        var baseline = new Measurement { Subscribers = agents, LinkMbit = linkMbit };
        Packing[] packings = [Packing.None, Packing.GroupZstd];
        var ways = ((double[])[16, Measurement.GameRate]).SelectMany(
            rate => packings.Select(packing => baseline with { Rate = rate, Packing = packing }));
        var all = Of(modes, "", ways).Measurements;
        return new(
            Invariant($"{WaysTo}{agents} agent{(agents > 1 ? "s" : "")}")
                + (linkMbit > 0 ? Invariant($" over {linkMbit} Mbit/s") : " on this machine"),
            baseline,
            [.. all.Where(IsPossible).OrderBy(one => one.Rate)]);
    }

    private static Factor Link(double mbit)
    {
        var baseline = new Measurement { LinkMbit = mbit };
        return Of(
            _remote,
            Invariant($"link of {mbit} Mbit/s"),
            [baseline, baseline with { Packing = Packing.GroupZstd }, baseline with { Policy = Policy.Latest }]);
    }
}
