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

    /// <summary>Whether it answers which way to take.</summary>
    [JsonIgnore]
    public bool AreWays => Name.StartsWith(ComparisonPlan.WaysTo, StringComparison.Ordinal);

    private bool HasOneRate => Rows.DistinctBy(row => row.Measurement.Rate).Count() == 1;

    public string NameOf(MeasurementRow row)
    {
        var isOfOneLink = Rows.DistinctBy(other => other.Measurement.LinkMbit).Count() == 1;
        var name = (row.Measurement with
        {
            LinkMbit = isOfOneLink ? 0 : row.Measurement.LinkMbit,
            Subscribers = AreWays ? 1 : row.Measurement.Subscribers,
        }).Name;
        return HasOneRate ? name : $"{name}, {Rate(row)}";
    }

    private static string Rate(MeasurementRow row) =>
        row.Measurement.Rate > 0 ? Invariant($"{row.Measurement.Rate} a second") : "max";
}

/// <summary>Everything that <c>sc2bridge compare</c> measured.</summary>
/// <param name="Machine">On what.</param>
/// <param name="Match">Which steps of which match each measurement received.</param>
/// <param name="Rounds">How often each measurement was measured.</param>
/// <param name="Seconds">How long each time.</param>
/// <param name="WarmUpSeconds">What was received before that and not counted.</param>
/// <param name="Summary">What it comes to, in plain sentences; the first is the advice.</param>
/// <param name="Tables">One a factor.</param>
/// <param name="Left">What was not measured, and why.</param>
/// <param name="Runs">Every measurement of every round.</param>
internal sealed record ComparisonReport(
    Machine Machine, string Match, int Rounds, double Seconds, double WarmUpSeconds, IReadOnlyList<string> Summary,
    IReadOnlyList<ComparisonTable> Tables, IReadOnlyList<string> Left, IReadOnlyList<MeasurementRun> Runs)
{
    /// <summary>Whether all that was wanted was measured.</summary>
    [JsonIgnore]
    public bool IsWhole => Tables.All(table => table.Rows.All(row => row.Rounds > 0));

    /// <summary>What was measured, on what, with what: each fact's name and words.</summary>
    public IEnumerable<(string Name, string Words)> Facts()
    {
        var agents = Tables.SelectMany(table => table.Rows).Select(row => row.Agent).Where(agent => agent.Length > 0).Distinct();
        return
        [
            ("match", Match),
            .. Machine.Facts(),
            .. agents.Select(agent => ("agent", agent)),
            ("measured", Invariant($"{Rounds} rounds of {Seconds} s, each after {WarmUpSeconds} s of warm-up, in another order each")),
        ];
    }

    /// <param name="machine">On what it was measured.</param>
    /// <param name="match">Over what.</param>
    /// <param name="plan">What was to be measured.</param>
    /// <param name="left">What was left out of the plan.</param>
    /// <param name="runs">What was measured.</param>
    public static ComparisonReport Of(
        Machine machine, string match, ComparisonPlan plan, IReadOnlyList<string> left, IReadOnlyList<MeasurementRun> runs)
    {
        var byId = runs.ToLookup(run => run.Measurement);
        List<ComparisonTable> tables =
        [
            .. plan.Factors.Select(factor => new ComparisonTable(
                factor.Name,
                factor.Baseline.Id,
                [.. factor.Measurements.Select(measurement => MeasurementRow.Of(measurement, factor.Baseline, byId))])),
        ];
        var failed = tables.SelectMany(table => table.Rows).Where(row => row.Problems.Count > 0)
            .DistinctBy(row => row.Measurement).Select(row => $"{row.Measurement.Title}: {row.Problems[0]}");
        return new ComparisonReport(
            machine, match, plan.Rounds, plan.Seconds, plan.WarmUpSeconds, SummaryText.Of(tables, byId), tables, [.. left, .. failed], runs);
    }
}
