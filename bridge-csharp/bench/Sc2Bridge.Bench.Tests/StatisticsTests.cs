using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Bench.Tests;

/// <summary>Statistics of many times: percentiles, jitter, ratios within rounds, and the effect of chance.</summary>
public sealed class StatisticsTests
{
    private static readonly Figure Held = Figure.HeldP50;

    [Fact]
    public void Percentiles_are_values_that_were_measured_in_their_order() => Prop.ForAll(
        Values(),
        values =>
        {
            var summed = Distribution.Of(values)!;
            return summed.Count == values.Length
                && ((double[])[summed.P50, summed.P90, summed.P99]).All(values.Contains)
                && summed.P50 <= summed.P90 && summed.P90 <= summed.P99 && summed.P99 <= summed.Max
                && summed.Max == values.Max()
                && values.Count(value => value > summed.P90) <= values.Length / 10
                && values.Count(value => value < summed.P50) <= values.Length / 2;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Jitter_is_the_mean_step_and_knows_the_order()
    {
        Assert.Equal(0, Distribution.Of([5, 5, 5])!.Jitter);
        Assert.Equal(2, Distribution.Of([1, 3, 1])!.Jitter);
        Assert.Equal(1, Distribution.Of([1, 1, 3])!.Jitter);
        Assert.Equal(0, Distribution.Of([7])!.Jitter);
        Assert.Null(Distribution.Of([]));
    }

    [Fact]
    public void A_line_fits_its_points_and_noise_has_an_R2_of_0()
    {
        var line = LineFit.Of([(1, 5), (2, 7), (10, 23)]);
        Assert.Equal((3, 2, 1), (Math.Round(line.At0, 9), Math.Round(line.ForEach, 9), Math.Round(line.R2, 9)));
        Assert.Equal(0, LineFit.Of([(1, 5), (2, 9), (3, 5)]).R2);
    }

    [Fact]
    public void A_cell_is_like_itself() => Prop.ForAll(
        Values(),
        rounds =>
        {
            var runs = Runs(rounds);
            var ratio = Ratio.Of(Held, runs, runs)!;
            return (ratio.Median, ratio.Least, ratio.Most, ratio.WithinNoise) == (1, 1, 1, true);
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Twice_the_time_in_every_round_is_no_chance_however_the_rounds_differ() => Prop.ForAll(
        Values(),
        rounds =>
        {
            var ratio = Ratio.Of(Held, Runs([.. rounds.Select(value => value * 2)]), Runs(rounds))!;
            return ratio.Median == 2 && ratio.WithinNoise == rounds.Length < Ratio.FewestRounds;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Whether_chance_explains_it_does_not_depend_on_which_is_held_against_which() => Prop.ForAll(
        Values(),
        Values(),
        (some, others) => Ratio.Of(Held, Runs(some), Runs(others))!.WithinNoise
            == Ratio.Of(Held, Runs(others), Runs(some))!.WithinNoise).QuickCheckThrowOnFailure();

    [Fact]
    public void Only_rounds_that_both_have_are_compared()
    {
        Assert.Equal(2, Ratio.Of(Held, Runs([4, 6, 8]), Runs([2, 3]))!.Rounds);
        Assert.Null(Ratio.Of(Held, Runs([4]), []));
    }

    [Fact]
    public void A_ratio_is_written_with_digits_that_say_something()
    {
        Assert.Equal("1.05 (1.01–1.10)", new Ratio(3, 1.05, 1.01, 1.1).Text);
        Assert.Equal("0.0003 (0.0002–0.01)", new Ratio(3, 0.00034, 0.0002, 0.0100).Text);
        Assert.Equal("1.50 (within the noise)", new Ratio(2, 1.5, 1.4, 1.6).Text);
    }

    [Fact]
    public void A_measurement_at_a_rate_is_not_compared_with_one_at_max()
    {
        var max = Measurement.Baseline with { Rate = 0 };
        var runs = Runs([1, 2, 3]).Concat(Runs([4, 5, 6], max.Id)).ToLookup(run => run.Measurement);
        Assert.Null(MeasurementRow.Of(max, Measurement.Baseline, runs).Ratios.GetValueOrDefault("held_to_baseline"));
        Assert.Equal(4, MeasurementRow.Of(max, max with { Mode = Mode.Json }, Runs([1], (max with { Mode = Mode.Json }).Id)
            .Concat(Runs([4], max.Id)).ToLookup(run => run.Measurement)).Ratios["held_to_baseline"].Median);
    }

    [Fact]
    public void Late_and_lost_frames_are_misses()
    {
        var period = Measurement.Baseline.PeriodUs!.Value;
        var run = Run(
            Measurement.Baseline,
            new(Steps: 4, Seconds: 2, CpuSeconds: 0.5, AllocatedBytes: 400, MemoryBytes: 1, WireBytes: 4000, EncodingSeconds: 0.002),
            new("an agent", [10, 20, 30], [100, period, period + 1], [50, 50, 50], [990, 991, 992], Lost: 1, 0.5, CpuSeconds: 0.1, 2));
        Assert.Equal(0.5, run.Misses);
        Assert.Equal(4, run.FramesPerSecond);
        Assert.Null(run.WireBytes);
        Assert.Equal(991, run.MessageBytes);
        Assert.Equal((0.25, 0.2, 100), (run.SenderCpu, run.AgentCpu, run.SenderAllocated));
        Assert.Equal(4000 / 2.0 / 1e6, run.MegabytesPerSecond);
    }

    [Theory]
    [InlineData(0, 40, 1.0, null)]
    [InlineData(10, 40, 0.75, null)]
    [InlineData(38, 40, 0.05, null)]
    [InlineData(39, 40, 0.0, 100.0)]
    [InlineData(41, 40, 0.0, 100.0)]
    public void Frames_that_were_sent_and_never_heard_are_misses_but_for_those_at_the_edges(
        int received, int sent, double misses, double? wire)
    {
        double[] quick = [.. Enumerable.Repeat(100.0, received)];
        var run = Run(
            Measurement.Baseline,
            new(sent, Seconds: 2, CpuSeconds: 1, AllocatedBytes: 1, MemoryBytes: 1, WireBytes: sent * 100, EncodingSeconds: 0),
            new("an agent", quick, quick, quick, [.. quick.Select(_ => 99L)], 0, 2, 1, 1));
        Assert.Equal(misses, run.Misses!.Value, 9);
        Assert.Equal(wire, run.WireBytes);
    }

    [Fact]
    public void The_codecs_share_is_of_the_mean_way_to_holding_it_parsed()
    {
        var run = Encoded(Measurement.Baseline with { Mode = Mode.Json });
        Assert.Equal((500, 300), (run.EncodeUs, run.DecodeUs));
        Assert.Equal((0.25, 0.15), (run.EncodeShare, run.DecodeShare));
        Assert.Equal(40, Figure.Codec.Get(run)!.Value, 6);

        // It is made within the socket's own writing.
        var deflated = Encoded(Measurement.Baseline with { Mode = Mode.Json, Packing = Packing.Deflate });
        Assert.Equal((null, 300), (deflated.EncodeUs, deflated.DecodeUs));
        Assert.Null(Figure.Codec.Get(deflated));
        Assert.NotNull(Encoded(Measurement.Baseline with { Packing = Packing.Deflate }).EncodeUs);

        static MeasurementRun Encoded(Measurement measurement) => Run(
            measurement,
            new(4, Seconds: 2, CpuSeconds: 1, AllocatedBytes: 1, MemoryBytes: 1, null, EncodingSeconds: 0.002),
            new("an agent", [900, 1100], [1900, 2100], [200, 400], [99, 99], 0, 2, 1, 1));
    }

    [Fact]
    public void At_max_nothing_is_late() => Assert.Null(Run(
        Measurement.Baseline with { Rate = 0 }, new(1, 1, 1, 1, 1, null, 0), new("an agent", [1e9], [1e9], [], [1], 0, 1, 1, 1)).Misses);

    internal static List<MeasurementRun> Runs(IReadOnlyList<double> p50, string? measurement = null) =>
    [
        .. p50.Select((value, index) => new MeasurementRun
        {
            Measurement = measurement ?? Measurement.Baseline.Id,
            Round = index + 1,
            Agent = "an agent",
            Held = Distribution.Of([value]),
            Parsed = Distribution.Of([value + 300]),
            FramesPerSecond = 22.4,
            Misses = 0,
            MessageBytes = 160 << 10,
            SenderCpu = value / 1000,
            EncodeUs = value / 10,
            DecodeUs = value / 20,
            EncodeShare = 0.1,
            DecodeShare = 0.05,
        }),
    ];

    private static MeasurementRun Run(Measurement measurement, SendResult sent, ReceiveResult received) =>
        MeasurementRun.Of(measurement, 1, sent, received, null);

    private static Arbitrary<double[]> Values() =>
        Gen.Choose(1, 100_000).Select(value => value / 16.0)
            .NonEmptyListOf().Select(list => list.ToArray()).ToArbitrary();
}
