using System.Text.Json.Serialization;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>A table: measurements that differ in one respect.</summary>
/// <param name="Name">In what they differ.</param>
/// <param name="Baseline">What the others are held against.</param>
/// <param name="Rows">One a measurement.</param>
internal sealed record ComparisonTable(string Name, string Baseline, IReadOnlyList<MeasurementRow> Rows)
{
    /// <summary>Above the table: what all of its rows share stands here once.</summary>
    [JsonIgnore]
    public string Title => HasOneRate ? $"{Name}, at {Rate(Rows[0])}" : Name;

    private bool HasOneRate => Rows.DistinctBy(row => row.Measurement.Rate).Count() == 1;

    /// <summary>Beside a row.</summary>
    public string NameOf(MeasurementRow row)
    {
        var isOfOneLink = Rows.DistinctBy(other => other.Measurement.LinkMbit).Count() == 1;
        var name = (isOfOneLink ? row.Measurement with { LinkMbit = 0 } : row.Measurement).Name;
        return HasOneRate ? name : $"{name}, {Rate(row)}";
    }

    private static string Rate(MeasurementRow row) =>
        row.Measurement.Rate > 0 ? Invariant($"{row.Measurement.Rate} a second") : "max";
}

/// <summary>How it was measured.</summary>
/// <param name="Rounds">How often each measurement was.</param>
/// <param name="Seconds">How long each time.</param>
/// <param name="WarmUpSeconds">What was received before that and not counted.</param>
internal sealed record Timing(int Rounds, double Seconds, double WarmUpSeconds);

/// <summary>Everything that <c>sc2bridge compare</c> measured.</summary>
/// <param name="Machine">On what.</param>
/// <param name="Match">Which steps of which match each measurement received.</param>
/// <param name="Timing">How long and how often.</param>
/// <param name="Summary">What it comes to, in plain sentences.</param>
/// <param name="Tables">One a factor.</param>
/// <param name="Left">What was not measured, and why.</param>
/// <param name="Runs">Every measurement of every round.</param>
/// <param name="Scale">How cost grows, and where it becomes too much; null where that was not measured.</param>
internal sealed record ComparisonReport(
    Machine Machine,
    string Match,
    Timing Timing,
    IReadOnlyList<string> Summary,
    IReadOnlyList<ComparisonTable> Tables,
    IReadOnlyList<string> Left,
    IReadOnlyList<MeasurementRun> Runs,
    ScaleReport? Scale = null)
{
    /// <summary>What a live game took for a step and its observation, in µs; null of any other match.</summary>
    public Distribution? Game { get; init; }

    /// <summary>The same as a person reads it.</summary>
    [JsonIgnore]
    public string? GameText => Game is null
        ? null
        : Invariant($"a step and its observation took {Game.P50 / 1000:0.00} ms (p50), ")
            + Invariant($"{Game.P99 / 1000:0.00} ms (p99)");

    /// <summary>What was measured, on what, with what: each fact's name and words.</summary>
    public IEnumerable<(string Name, string Words)> Facts()
    {
        yield return ("match", Match);
        if (GameText is { } game)
        {
            yield return ("game", game);
        }

        yield return (
            "machine", Invariant($"{Machine.Processor}, {Machine.Cores} cores, load {Machine.LoadAtStart:0.00} at the start"));
        yield return ("system", Machine.System);
        yield return ("runtime", $"{Machine.Runtime}, {Machine.Build}, garbage collector: {Machine.GarbageCollector}");
        foreach (var agent in Tables.SelectMany(table => table.Rows).Select(row => row.Agent)
            .Where(agent => agent.Length > 0).Distinct())
        {
            yield return ("agent", agent);
        }

        yield return (
            "measured", Invariant($"{Timing.Rounds} rounds of {Timing.Seconds} s, each after {Timing.WarmUpSeconds} s of ")
            + "warm-up, in another order each");
    }

    /// <summary>What was not measured, and why.</summary>
    public IEnumerable<string> NotMeasured() => Left.Concat(Scale?.Left ?? []).Concat(
        Tables.SelectMany(table => table.Rows).Where(row => row.Problems.Count > 0).DistinctBy(row => row.Measurement)
            .Select(row => $"{row.Name}, rate {row.Measurement.RateText}: {row.Problems[0]}"));

    /// <summary>Whether all that was wanted was measured.</summary>
    [JsonIgnore]
    public bool IsWhole =>
        Tables.All(table => table.Rows.All(row => row.Rounds > 0)) && Scale is not { IsWhole: false };

    /// <summary>Sums up runs.</summary>
    /// <param name="machine">On what.</param>
    /// <param name="match">Which steps of which match.</param>
    /// <param name="plan">What was measured.</param>
    /// <param name="left">What was not, and why.</param>
    /// <param name="runs">What there is of the tables.</param>
    /// <param name="scaling">What there is of the plan's scale.</param>
    public static ComparisonReport Of(
        Machine machine,
        string match,
        ComparisonPlan plan,
        IReadOnlyList<string> left,
        IReadOnlyList<MeasurementRun> runs,
        IReadOnlyList<MeasurementRun>? scaling = null)
    {
        var scale = plan.Scale is { } planned ? ScaleReport.Of(planned, scaling ?? [], machine.Cores) : null;
        var byId = runs.ToLookup(run => run.Measurement);
        List<ComparisonTable> tables =
        [
            .. plan.Factors.Select(factor => new ComparisonTable(
                factor.Name,
                factor.Baseline.Id,
                [.. factor.Measurements.Select(measurement => MeasurementRow.Of(measurement, factor.Baseline, byId))])),
        ];
        return new ComparisonReport(
            machine,
            match,
            new Timing(plan.Rounds, plan.Seconds, plan.WarmUpSeconds),
            [.. SummaryText.Of(tables, byId), .. scale?.Summary ?? []],
            tables,
            left,
            runs,
            scale);
    }
}
