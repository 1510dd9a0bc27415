using System.Text.Json.Serialization;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>A table of measurements that differ in one factor.</summary>
/// <param name="Name">The factor.</param>
/// <param name="Baseline">The measurement that the others are compared with.</param>
/// <param name="Rows">One for each measurement.</param>
internal sealed record ComparisonTable(string Name, string Baseline, IReadOnlyList<MeasurementRow> Rows)
{
    /// <summary>The title, with the rate if all rows share it.</summary>
    [JsonIgnore]
    public string Title => HasOneRate ? $"{Name}, at {Rate(Rows[0])}" : Name;

    /// <summary>Whether the table compares transports for an advice.</summary>
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

/// <summary>The results of <c>sc2bridge compare</c>.</summary>
/// <param name="Machine">The machine.</param>
/// <param name="Match">The match and the steps that each measurement received.</param>
/// <param name="Rounds">Number of rounds of each measurement.</param>
/// <param name="Seconds">The length of each.</param>
/// <param name="WarmUpSeconds">The warm-up before that, which is not counted.</param>
/// <param name="Summary">The conclusions in sentences. The first is the advice.</param>
/// <param name="Tables">One for each factor.</param>
/// <param name="Left">Measurements that were left out, with the reason.</param>
/// <param name="Runs">Every measurement of every round.</param>
internal sealed record ComparisonReport(
    Machine Machine, string Match, int Rounds, double Seconds, double WarmUpSeconds, IReadOnlyList<string> Summary,
    IReadOnlyList<ComparisonTable> Tables, IReadOnlyList<string> Left, IReadOnlyList<MeasurementRun> Runs)
{
    /// <summary>Whether everything in the plan was measured.</summary>
    [JsonIgnore]
    public bool IsWhole => Tables.All(table => table.Rows.All(row => row.Rounds > 0));

    /// <summary>The facts of the comparison: names and values.</summary>
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

    /// <param name="machine">The machine.</param>
    /// <param name="match">The match.</param>
    /// <param name="plan">The plan.</param>
    /// <param name="left">Measurements that were left out.</param>
    /// <param name="runs">The results.</param>
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
