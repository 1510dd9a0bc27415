using Sc2Bridge.Comparing.Scaling;

namespace Sc2Bridge.Comparing.Cells;

/// <summary>Cells that differ in one respect, and so stand in one table.</summary>
/// <param name="Name">In what they differ.</param>
/// <param name="Baseline">What the others are held against.</param>
/// <param name="Cells">All of them, the baseline among them.</param>
public sealed record Factor(string Name, Cell Baseline, IReadOnlyList<Cell> Cells);

/// <summary>What can be measured on this machine.</summary>
/// <param name="Pythons">Python interpreters with the package: at least one.</param>
/// <param name="Node">Whether Node and its packages are there.</param>
/// <param name="Zstd">Whether the bridge compresses with it.</param>
/// <param name="Unix">Whether Unix sockets are.</param>
/// <param name="Links">Speeds of links that can be made, in Mbit/s.</param>
/// <param name="PythonSc2">Which of the Python interpreters has python-sc2, from 0; null where none has.</param>
public sealed record Means(
    int Pythons, bool Node, bool Zstd, bool Unix, IReadOnlyList<double> Links, int? PythonSc2 = null)
{
    /// <summary>Other game loops of the match than the comparison's own: their observations differ in size.</summary>
    public IReadOnlyList<uint> Loops { get; init; } = [];
}

/// <summary>
/// What is measured: one factor at a time is varied from <see cref="Cell.Baseline"/>, so that the cells are tens and
/// not thousands. The three modes are the exception, being what is compared: each is measured at every rate, with every
/// compression, with every agent.
/// </summary>
public sealed record ComparisonPlan
{
    // What a cell takes beside its warm-up and its seconds: subscribing, ending.
    private const double BetweenSeconds = 0.15;

    private static readonly Mode[] Modes = [Mode.Grpc, Mode.Binary, Mode.Json];

    /// <summary>The tables.</summary>
    public required IReadOnlyList<Factor> Factors { get; init; }

    /// <summary>How often each cell is measured.</summary>
    public required int Rounds { get; init; }

    /// <summary>How long each time, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>What is heard before that and not counted, in seconds.</summary>
    public required double WarmUpSeconds { get; init; }

    /// <summary>How cost grows, and where it becomes too much; null where that is not measured.</summary>
    public ScalePlan? Scale { get; init; }

    /// <summary>Whether each cell is heard once before it is measured; else one of each mode.</summary>
    public bool WarmsEach { get; init; } = true;

    /// <summary>What a cell takes each time, in seconds.</summary>
    public double CellSeconds => Seconds + WarmUpSeconds + BetweenSeconds;

    /// <summary>What it takes in the round that is not kept: half of what is measured.</summary>
    public double WarmUpCellSeconds => (Seconds / 2) + BetweenSeconds;

    /// <summary>What there is to ask for: the tables, and what there is of scale.</summary>
    public IReadOnlyList<string> Names => [.. Factors.Select(factor => factor.Name), .. Scale?.Names ?? []];

    /// <summary>Steps that a cell hears at the game's rate, and a second's more.</summary>
    public int StepsHeard => (int)Math.Ceiling((WarmUpSeconds + Seconds + 1) * Cell.GameRate);

    /// <summary>Every cell once.</summary>
    public IReadOnlyList<Cell> Cells => [.. Factors.SelectMany(factor => factor.Cells).Distinct()];

    /// <summary>
    /// How long it takes: a round more than is counted, in which programs start and code gets warm, at half the length.
    /// </summary>
    public TimeSpan Estimate => TimeSpan.FromSeconds(
        (Cells.Count * Rounds * CellSeconds) + (WarmUpWith(Cells).Count * WarmUpCellSeconds))
        + (Scale?.Estimate ?? TimeSpan.Zero);

    /// <summary>What answers the question within a minute: the modes at both rates, yardsticks, group zstd.</summary>
    public static ComparisonPlan Quick(Means means)
    {
        ArgumentNullException.ThrowIfNull(means);
        return new ComparisonPlan
        {
            Factors = [Transports([16, Cell.GameRate]), Yardsticks(means), .. Grouped(means)],
            Rounds = 3,
            Seconds = 0.8,
            WarmUpSeconds = 0.25,
        };
    }

    /// <summary>Everything that the machine has the means for.</summary>
    public static ComparisonPlan Full(Means means)
    {
        ArgumentNullException.ThrowIfNull(means);
        List<Factor> factors =
        [
            Transports([16, Cell.GameRate, 0]),
            Yardsticks(means),
            Compression(means),
            new("content", Cell.Baseline, [.. Modes.SelectMany(mode =>
                ((bool[])[false, true]).Select(columns => Over(mode) with { Columns = columns }))]),
            Subscribers(),
            Agents(means),
            new("policy", Cell.Baseline, [.. Modes.SelectMany(mode =>
                ((Hearing[])[Hearing.Every, Hearing.Latest]).Select(hearing => Over(mode) with { Hearing = hearing }))]),
            new(
                "round trips",
                Lockstep(Mode.Grpc),
                [.. Modes.Select(Lockstep), .. Polled(Lockstep(Mode.Binary), means)]),
        ];
        if (means.Unix)
        {
            factors.Add(new("socket", Cell.Baseline, [Cell.Baseline, Cell.Baseline with { Unix = true }]));
        }

        foreach (var link in means.Links)
        {
            factors.Add(Link(link, means));
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
        ArgumentNullException.ThrowIfNull(words);
        if (words.Count == 0)
        {
            return this;
        }

        List<Factor> kept = [];
        foreach (var factor in Factors)
        {
            var cells = Has(factor.Name)
                ? factor.Cells
                : [.. factor.Cells.Where(cell => Has(cell.Name) || Has(cell.Id))];
            if (cells.Count > 0)
            {
                kept.Add(factor with { Cells = cells });
            }
        }

        return this with { Factors = kept, Scale = Scale?.Only(words) };

        bool Has(string text) => words.Any(word => text.Contains(word, StringComparison.OrdinalIgnoreCase));
    }

    /// <summary>The order of a round: another in each, so that no cell always follows the same one.</summary>
    /// <param name="round">From 0.</param>
    public IReadOnlyList<Cell> Order(int round)
    {
        var cells = Cells.ToArray();
        new Random(round).Shuffle(cells);
        return cells;
    }

    /// <summary>What of some cells is heard before anything is measured.</summary>
    internal IReadOnlyList<Cell> WarmUpWith(IEnumerable<Cell> cells) => WarmsEach
        ? [.. cells.Distinct()]
        : [.. cells.GroupBy(cell => cell.Mode).Select(group => group.MaxBy(cell => cell.Subscribers)!)];

    private static Cell Over(Mode mode) => Cell.Baseline with { Mode = mode };

    private static Cell Lockstep(Mode mode) => Over(mode) with { Rate = 0, Hearing = Hearing.Lockstep };

    private static Factor Transports(IEnumerable<double> rates) => new(
        "transports",
        Cell.Baseline,
        [.. rates.SelectMany(rate => Modes.Select(mode => Over(mode) with { Rate = rate }))]);

    // By python-sc2's own client in place of the bridge.
    private static IEnumerable<Cell> Polled(Cell cell, Means means) =>
        means.PythonSc2 is { } python ? [cell with { Sender = Sender.Game, Python = python }] : [];

    private static Factor Yardsticks(Means means) => new(
        "yardsticks",
        Cell.Baseline with { Sender = Sender.Raw },
        [
            Cell.Baseline with { Sender = Sender.Raw },
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
            Cell.Baseline,
            [
                .. counts.Select(count => Cell.Baseline with { Sender = Sender.Raw, Subscribers = count }),
                .. Modes.SelectMany(mode => counts.Select(count => Over(mode) with { Subscribers = count })),
            ]);
    }

    private static Factor Compression(Means means)
    {
        Packing[] packings = means.Zstd
            ? [Packing.None, Packing.Deflate, Packing.Zstd, Packing.GroupZstd]
            : [Packing.None, Packing.Deflate];
        return new(
            "compression",
            Cell.Baseline,
            [.. Modes.SelectMany(mode => packings.Select(packing => Over(mode) with { Packing = packing }))]);
    }

    private static IEnumerable<Factor> Grouped(Means means) => means.Zstd
        ? [new("compression", Cell.Baseline, [Cell.Baseline, Cell.Baseline with { Packing = Packing.GroupZstd }])]
        : [];

    private static Factor Agents(Means means)
    {
        List<AgentKind> kinds = [AgentKind.Python, AgentKind.Asyncio, AgentKind.CSharp];
        if (means.Node)
        {
            kinds.Add(AgentKind.Node);
        }

        var all = Modes.SelectMany(mode => kinds.Select(kind => Over(mode) with { Agent = kind }));
        var pythons = Enumerable.Range(1, Math.Max(0, means.Pythons - 1))
            .SelectMany(python => Modes.Select(mode => Over(mode) with { Python = python }));
        return new("agents", Cell.Baseline, [.. all, .. pythons]);
    }

    private static Factor Link(double mbit, Means means)
    {
        var baseline = Cell.Baseline with { LinkMbit = mbit };
        List<Cell> cells = [];
        foreach (var mode in Modes)
        {
            Packing[] packings = means.Zstd ? [Packing.None, Packing.GroupZstd] : [Packing.None];
            cells.AddRange(packings.Select(packing => baseline with { Mode = mode, Packing = packing }));
            cells.Add(baseline with { Mode = mode, Hearing = Hearing.Latest });
        }

        return new(FormattableString.Invariant($"link of {mbit} Mbit/s"), baseline, cells);
    }
}
