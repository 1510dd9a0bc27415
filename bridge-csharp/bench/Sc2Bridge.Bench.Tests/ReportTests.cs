namespace Sc2Bridge.Bench.Tests;

/// <summary>Tables, ratios and sentences of made-up results.</summary>
public sealed class ReportTests
{
    private static readonly Machine Machine = new("a processor", 2, "a system", "a runtime", "a GC", "Release", "a commit", 0.5);
    private static readonly ComparisonPlan Plan = ComparisonPlan.Quick(new Means(1, Unix: true, Memory: true, []));

    [Fact]
    public void Each_cell_stands_beside_baseline_bare_handler_and_raw_socket_where_they_are_alike()
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
        Assert.Contains("use gRPC: a parsed observation 0.90 ms", words, StringComparison.Ordinal);
        Assert.Contains("WebSocket JSON 15 % (200 and 100 µs)", words, StringComparison.Ordinal);
    }

    [Fact]
    public void What_cannot_be_told_from_the_best_is_so_within_the_rounds()
    {
        // What disturbs a round disturbs both: gRPC is the sooner in each of them, though the WebSocket's best round
        // is below gRPC's worst one.
        Assert.Contains("use gRPC: a parsed", Words([600, 900, 1800], [700, 1000, 1900]), StringComparison.Ordinal);
        Assert.Contains(
            "use gRPC (WebSocket cannot be told from it): a parsed",
            Words([600, 900, 1800], [700, 1000, 1700]),
            StringComparison.Ordinal);

        // Two rounds do not tell.
        Assert.Contains("(WebSocket cannot be told from it)", Words([600, 600], [900, 900]), StringComparison.Ordinal);

        static string Words(double[] grpc, double[] webSocket) => string.Join(
            '\n',
            Report(
                [
                    .. StatisticsTests.Runs(grpc, Measurement.Baseline.Id),
                    .. StatisticsTests.Runs(webSocket, (Measurement.Baseline with { Mode = Mode.Binary }).Id),
                ]).Summary);
    }

    [Fact]
    public void What_is_late_is_not_recommended()
    {
        var runs = Runs().Select(run => run.Measurement == Measurement.Baseline.Id ? run with { Misses = 0.2 } : run);
        var words = string.Join('\n', Report([.. runs]).Summary);
        Assert.Contains("use WebSocket:", words, StringComparison.Ordinal);
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

    internal static ComparisonReport Made() => Report(Runs());

    private static ComparisonReport Report(List<MeasurementRun> runs) =>
        ComparisonReport.Of(Machine, "a match", Plan, ["slow links: none here"], runs);

    private static List<MeasurementRun> Runs() =>
    [
        .. Plan.Measurements.SelectMany(measurement => StatisticsTests.Runs([Us(measurement), Us(measurement) * 1.1, Us(measurement) * 0.9], measurement.Id)),
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
