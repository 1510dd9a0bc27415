namespace Sc2Bridge.Bench.Tests;

/// <summary>Tables, ratios and sentences of made-up results.</summary>
public sealed class ReportTests
{
    private static readonly Machine Machine = new("a processor", 2, "a system", "a runtime", "a GC", "Release", "a commit", 0.5);
    private static readonly ComparisonPlan Plan = ComparisonPlan.Quick(new Means(1, Unix: true, Memory: true, []));

    internal static ComparisonPlan Choice { get; } = ComparisonPlan.Choice(new Means(1, Unix: true, Memory: true, []), 20, 50);

    [Fact]
    public void Each_row_is_compared_with_the_baseline_and_with_matching_yardsticks()
    {
        var report = Made();
        var transports = report.Tables.Single(table => table.Name == "transports");
        var grpc = Row(Measurement.Baseline);
        Assert.DoesNotContain("held_to_baseline", grpc.Ratios);
        Assert.Equal(new Spread(600, 540, 660), grpc.Figures["held_p50_us"]);
        Assert.Equal(600.0 / 500, grpc.Ratios["held_to_bare"].Median, 6);
        Assert.Equal(600.0 / 200, grpc.Ratios["held_to_raw"].Median, 6);
        var json = Row(Measurement.Baseline with { Mode = Mode.Json });
        Assert.Equal(2000.0 / 600, json.Ratios["held_to_baseline"].Median, 6);
        Assert.Equal(2300.0 / 900, json.Ratios["parsed_to_baseline"].Median, 6);
        Assert.Equal((0.4, 0.4), (json.Ratios["held_to_bare"].Median, json.Ratios["bridge_cpu_to_bare"].Median));
        Assert.Empty(Row(Measurement.Baseline with { Rate = 16 }).Ratios.Keys.Except(["held_to_baseline", "parsed_to_baseline"]));

        MeasurementRow Row(Measurement measurement) => transports.Rows.Single(row => row.Measurement == measurement);
    }

    [Fact]
    public void The_summary_names_what_to_use_and_what_each_costs()
    {
        var words = string.Join('\n', Made().Summary);
        Assert.Contains("use gRPC instead of the default, shared memory: a parsed observation 0.90 ms", words, StringComparison.Ordinal);
        Assert.Contains("WebSocket JSON 15 % (200 and 100 µs)", words, StringComparison.Ordinal);
    }

    [Fact]
    public void The_default_is_used_unless_another_way_is_clearly_sooner_in_each_round()
    {
        // A disturbance slows both ways of a round, so ratios are taken within a round.
        Assert.Contains(
            "use gRPC instead of the default, WebSocket: a parsed", Words([600, 900, 1800], [1000, 1500, 2500]), StringComparison.Ordinal);
        foreach (var (grpc, webSocket) in ((double[], double[])[])
            [([600, 900, 1800], [1000, 1500, 1700]), ([600, 900, 1800], [630, 940, 1850]), ([600, 600], [900, 900])])
        {
            Assert.Contains("use the default, WebSocket: a parsed", Words(grpc, webSocket), StringComparison.Ordinal);
        }

        static string Words(double[] grpc, double[] webSocket) => string.Join(
            '\n',
            Report(
                [
                    .. StatisticsTests.Runs(grpc, Measurement.Baseline.Id),
                    .. StatisticsTests.Runs(webSocket, (Measurement.Baseline with { Mode = Mode.Binary }).Id),
                ]).Summary);
    }

    [Fact]
    public void Each_number_of_agents_on_each_link_at_each_rate_has_its_advice()
    {
        var report = Made(Choice);
        Assert.Equal(
            ["ways to 1 agent on this machine", "ways to 20 agents on this machine",
                "ways to 1 agent over 50 Mbit/s", "ways to 20 agents over 50 Mbit/s"],
            report.Tables.Select(table => table.Name));
        var advice = report.Summary[0].Split('\n');
        Assert.Equal(8, advice.Length);
        Assert.StartsWith(
            "For 20 agents over 50 Mbit/s at 22.4 a second: use gRPC instead of the default, WebSocket, group zstd: a parsed",
            advice[^1],
            StringComparison.Ordinal);
        Assert.Equal("WebSocket, group zstd, 16 a second", report.Tables[3].NameOf(report.Tables[3].Rows[3]));
    }

    [Fact]
    public void A_transport_with_late_frames_is_not_recommended()
    {
        var runs = Runs().Select(run => run.Measurement == Measurement.Baseline.Id ? run with { Misses = 0.2 } : run);
        var words = string.Join('\n', Report([.. runs]).Summary);
        Assert.Contains("use WebSocket instead of the default, shared memory:", words, StringComparison.Ordinal);
    }

    [Fact]
    public void A_cell_that_failed_says_why_and_has_no_figures()
    {
        var failed = new MeasurementRun { Measurement = Measurement.Baseline.Id, Round = 1, Problem = "no bridge" };
        var row = Report([failed]).Tables[0].Rows.Single(row => row.Measurement == Measurement.Baseline);
        Assert.Equal((0, "no bridge"), (row.Rounds, Assert.Single(row.Problems)));
        Assert.Empty(row.Figures);
        Assert.Empty(Report([]).Summary);
    }

    [Fact]
    public void Every_ratio_is_one_of_some_row() => Assert.All(RatioColumn.All, ratio => Assert.True(
        Made().Tables.Any(table => table.Rows.Any(row => row.RatioTo(ratio) is not null)), ratio.Key));

    internal static ComparisonReport Made(ComparisonPlan? plan = null) => Report(Runs(plan), plan);

    private static ComparisonReport Report(List<MeasurementRun> runs, ComparisonPlan? plan = null) =>
        ComparisonReport.Of(Machine, "a match", plan ?? Plan, ["slow links: none here"], runs);

    private static List<MeasurementRun> Runs(ComparisonPlan? plan = null) =>
    [
        .. (plan ?? Plan).Measurements.SelectMany(measurement =>
            StatisticsTests.Runs([Us(measurement), Us(measurement) * 1.1, Us(measurement) * 0.9], measurement.Id)),
    ];

    private static double Us(Measurement measurement) => measurement switch
    {
        { Sender: Sender.Raw } => 200,
        { Sender: Sender.Bare, Mode: Mode.Json } => 5000,
        { Sender: Sender.Bare } => 500,
        { Mode: Mode.Grpc } => 600,
        { Mode: Mode.Binary } => 1000,
        _ => 2000,
    };
}
