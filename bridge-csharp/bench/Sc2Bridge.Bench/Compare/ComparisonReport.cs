using System.Text.Json.Serialization;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>A table: measurements that differ in one respect.</summary>
/// <param name="Name">In what they differ.</param>
/// <param name="Baseline">What the others are held against.</param>
/// <param name="Rows">One a measurement.</param>
internal sealed record ComparisonTable(string Name, string Baseline, IReadOnlyList<MeasurementRow> Rows);

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
        var byCell = runs.ToLookup(run => run.Measurement);
        List<ComparisonTable> tables =
        [
            .. plan.Factors.Select(factor => new ComparisonTable(
                factor.Name,
                factor.Baseline.Id,
                [.. factor.Measurements.Select(measurement => MeasurementRow.Of(measurement, factor.Baseline, byCell))])),
        ];
        return new ComparisonReport(
            machine,
            match,
            new Timing(plan.Rounds, plan.Seconds, plan.WarmUpSeconds),
            [.. SummaryText.Of(tables, byCell), .. scale?.Summary ?? []],
            tables,
            left,
            runs,
            scale);
    }
}
