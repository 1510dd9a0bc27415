using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Bench.Tests;

/// <summary>How cost grows: points, fits and sentences of made-up runs; observations that are made larger.</summary>
public sealed class ScaleTests
{
    private static readonly ScalePlan Plan = ScalePlan.Full([Mode.Grpc, Mode.Binary, Mode.Json], [50_000, 100_000]);

    [Fact]
    public void Each_series_has_its_points_in_order_and_a_line_for_each_figure_and_mode()
    {
        var report = Made();
        Assert.Equal([Load.Subscribers, Load.Size, Load.Rate], report.Series.Select(series => series.Load));
        foreach (var series in report.Series)
        {
            Assert.Equal(3 * ScaleReport.Figures.Count, series.Fits.Count);
            foreach (var mode in series.Points.GroupBy(point => point.Measurement.Mode))
            {
                Assert.Equal(mode.Select(point => point.X).Order(), mode.Select(point => point.X));
            }
        }

        var cpu = report.Series[0].Fits.Single(fit => fit is { Figure: "bridge_cpu_percent", Mode: Mode.Json }).Fit;
        Assert.Equal((10.0, 1.0, 1.0), (Math.Round(cpu.Fixed, 6), Math.Round(cpu.PerUnit, 6), Math.Round(cpu.R2, 6)));
        Assert.Equal(
            [50_000 / 1024.0, 100_000 / 1024.0, 150_000 / 1024.0, 300_000 / 1024.0, 450_000 / 1024.0],
            report.Series[1].Points.Where(point => point.Measurement.Mode == Mode.Json).Select(point => point.X));
    }

    [Fact]
    public void Every_search_has_its_sentence()
    {
        var report = Made();
        Assert.Equal(Plan.Searches.Count, report.Breaking.Count);
        var words = string.Join('\n', report.Summary);
        Assert.Contains("At 22.4 steps a second one bridge on this machine keeps", words, StringComparison.Ordinal);
        Assert.Contains("x are subscribers: gRPC 10 + 1 · x (R² 1.000)", words, StringComparison.Ordinal);
        Assert.True(report.IsWhole);
    }

    [Fact]
    public void What_was_not_measured_is_told()
    {
        var failed = new MeasurementRun { Measurement = Plan.Series.Measurements[0].Id, Round = 1, Problem = "no bridge" };
        var report = ScaleReport.Of(Plan, [failed], 2);
        Assert.False(report.IsWhole);
        Assert.Equal(Plan.Series.Measurements.Count + Plan.Searches.Count, report.Left.Count);
        Assert.Contains(report.Left, reason => reason.EndsWith("no bridge", StringComparison.Ordinal));
        Assert.Empty(report.Summary);
    }

    [Fact]
    public void Light_readers_are_told_of_each()
    {
        var measurement = Measurement.Baseline with { Agent = AgentKind.Light, Subscribers = 2 };
        var late = measurement.PeriodUs!.Value + 1;
        var run = MeasurementRun.Of(
            measurement,
            1,
            new SendResult(Steps: 4, Seconds: 2, CpuSeconds: 1, AllocatedBytes: 1, MemoryBytes: 1, WireBytes: 800,
                EncodingSeconds: 0),
            new ReceiveResult("light", [10, 20, 30, late, 10, 20, 30, 40], [], [], [99, 99, 99, 99], 0, 1.5, 0.3, 1),
            null);
        Assert.Equal((4, 2, 1.0 / 8), (run.Frames, run.FramesPerSecond, run.Misses!.Value));
        Assert.Equal(100, run.WireBytes);
        Assert.Equal((2, 4L, 2.0), (run.Subscribers, run.SentSteps, run.SentSeconds));
    }

    [Fact]
    public void Copied_units_have_tags_of_their_own_and_all_else_is_there_once()
    {
        var raw = new ObservationRaw { Units = { new Unit { Tag = 7, Health = 3 }, new Unit { Tag = 8 } } };
        raw.Player = new PlayerRaw { UpgradeIds = { 1, 2 } };
        var original = new ResponseObservation { Observation = new Observation { GameLoop = 5, RawData = raw } };
        Assert.Equal(original, ResponseObservation.Parser.ParseFrom(UnitCopies.Make(original.ToByteArray(), 1)));
        var made = ResponseObservation.Parser.ParseFrom(UnitCopies.Make(original.ToByteArray(), 3));
        var units = made.Observation.RawData.Units;
        Assert.Equal(6, units.Select(unit => unit.Tag).Distinct().Count());
        Assert.Equal([3f, 3f, 3f], units.Where(unit => unit.HasHealth).Select(unit => unit.Health));
        units.Clear();
        raw.Units.Clear();
        Assert.Equal(original, made);
        Assert.Empty(UnitCopies.Make([], 2));
    }

    internal static ScaleReport Made()
    {
        List<MeasurementRun> runs =
        [
            .. Plan.Series.Measurements.SelectMany(measurement =>
                Enumerable.Range(1, 3).Select(round => BreakingTests.Run(measurement, round, isKept: true))),
        ];
        foreach (var search in Plan.Searches)
        {
            while (BreakingPoint.Seek(
                search, (measurement, round) => runs.Find(run => (run.Measurement, run.Round) == (measurement.Id, round))).Missing
                is var (next, number))
            {
                runs.Add(BreakingTests.Run(next, number, next.Subscribers <= 200 && next.Rate <= 500));
            }
        }

        return ScaleReport.Of(Plan, runs, 2);
    }
}
