using Sc2Bridge.Comparing.Cells;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Comparing.Results;

/// <summary>A figure over the rounds.</summary>
/// <param name="Median">The middle round's.</param>
/// <param name="Least">The least that a round gave.</param>
/// <param name="Most">The most.</param>
public sealed record FigureSpread(double Median, double Least, double Most)
{
    /// <summary>Figures of some rounds, by <see cref="Figure.Key"/>; those that were measured.</summary>
    internal static Dictionary<string, FigureSpread> Of(IEnumerable<Figure> figures, List<CellRun> runs)
    {
        var spreads = new Dictionary<string, FigureSpread>();
        foreach (var figure in figures)
        {
            var values = runs.Select(figure.Get).OfType<double>().Where(double.IsFinite).ToList();
            if (values.Count > 0)
            {
                var spread = Spread.Of(values);
                spreads[figure.Key] = new FigureSpread(spread.Median, spread.Least, spread.Most);
            }
        }

        return spreads;
    }
}

/// <summary>A cell in a table: its figures over the rounds, and what they are in times others.</summary>
public sealed record CellRow
{
    /// <summary>Which.</summary>
    public required Cell Cell { get; init; }

    /// <summary>What a person reads.</summary>
    public string Name => Cell.Name;

    /// <summary>The agent's library and version.</summary>
    public required string Agent { get; init; }

    /// <summary>Rounds with a result.</summary>
    public required int Rounds { get; init; }

    /// <summary>By <see cref="Figure.Key"/>; those that were measured.</summary>
    public required IReadOnlyDictionary<string, FigureSpread> Figures { get; init; }

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
        ArgumentNullException.ThrowIfNull(figure);
        return Figures.TryGetValue(figure.Key, out var spread) ? spread.Median : double.NaN;
    }

    /// <summary>Sums up a cell's rounds.</summary>
    /// <param name="cell">Which.</param>
    /// <param name="baseline">The table's.</param>
    /// <param name="all">Every run of every cell.</param>
    public static CellRow Of(Cell cell, Cell baseline, ILookup<string, CellRun> all)
    {
        ArgumentNullException.ThrowIfNull(cell);
        ArgumentNullException.ThrowIfNull(all);
        var runs = Good(cell);

        // At max a queue's time is in it, which nothing with a rate is held against.
        var others = cell == baseline || cell.PeriodUs is null != baseline.PeriodUs is null ? null : Good(baseline);
        var bare = cell.Sender == Sender.Bridge ? Yardstick(Sender.Bare, cell.Mode) : null;
        var raw = cell.Sender == Sender.Raw ? null : Yardstick(Sender.Raw, Mode.Grpc);
        return new CellRow
        {
            Cell = cell,
            Agent = runs is [var first, ..] ? first.Agent : "",
            Rounds = runs.Count,
            Figures = FigureSpread.Of(Figure.All, runs),
            HeldToBaseline = others is null ? null : Ratio.Of(Figure.HeldP50, runs, others),
            ParsedToBaseline = others is null ? null : Ratio.Of(Figure.ParsedP50, runs, others),
            HeldToRaw = raw is null ? null : Ratio.Of(Figure.HeldP50, runs, raw),
            HeldToBare = bare is null ? null : Ratio.Of(Figure.HeldP50, runs, bare),
            CpuToBare = bare is null ? null : Ratio.Of(Figure.SenderCpu, runs, bare),
            CpuToRaw = raw is null ? null : Ratio.Of(Figure.SenderCpu, runs, raw),
            ParsedToPolled = cell.Sender != Sender.Bridge || Place(cell) != Place(Polled(cell))
                ? null
                : Ratio.Of(Figure.ParsedP50, runs, Good(Polled(cell))),
            Problems = [.. all[cell.Id].Select(run => run.Problem).OfType<string>().Distinct()],
        };

        List<CellRun> Good(Cell which) =>
            [.. all[which.Id].Where(run => run.Problem is null).OrderBy(run => run.Round)];

        // Only what was measured at the same rate, on the same kind of agent.
        List<CellRun>? Yardstick(Sender sender, Mode mode)
        {
            var yardstick = Cell.Baseline with { Sender = sender, Mode = mode, Subscribers = cell.Subscribers };
            return Place(cell) == Place(yardstick) ? Good(yardstick) : null;
        }
    }

    // As python-sc2 would have it: at the same rate, in the same way, on the same Python.
    private static Cell Polled(Cell cell) => Cell.Baseline with
    {
        Sender = Sender.Game,
        Mode = Mode.Binary,
        Rate = cell.Rate,
        Python = cell.Python,
        Hearing = cell.Hearing,
    };

    private static (double, AgentKind, int, int, double, bool) Place(Cell cell) =>
        (cell.Rate, cell.Agent, cell.Python, cell.Subscribers, cell.LinkMbit, cell.Unix);
}
