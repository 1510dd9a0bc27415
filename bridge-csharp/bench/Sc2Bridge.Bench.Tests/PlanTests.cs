using Sc2Bridge.V1;
using System.Reflection;

namespace Sc2Bridge.Bench.Tests;

/// <summary>Plans vary one factor at a time, use all that the machine supports, and take the stated time.</summary>
public sealed class PlanTests
{
    private static readonly Means Everything = new(Pythons: 2, Unix: true, Memory: true, Links: [10, 100]);

    private static readonly Means Little = new(Pythons: 1, Unix: false, Memory: false, Links: []);

    [Fact]
    public void A_quick_plan_takes_at_most_a_minute_with_its_programs_starts() =>
        Assert.InRange(ComparisonPlan.Quick(Everything).EstimateSeconds, 10, 50);

    [Fact]
    public void A_full_plan_takes_about_an_hour() =>
        Assert.InRange(ComparisonPlan.Full(Everything).EstimateSeconds / 60, 10, 60);

    [Fact]
    public void Each_mode_is_measured_at_both_rates()
    {
        foreach (var plan in (ComparisonPlan[])[ComparisonPlan.Quick(Little), ComparisonPlan.Full(Little)])
        {
            var transports = plan.Factors.Single(factor => factor.Name == "transports").Measurements;
            Assert.All(
                (double[])[16, 22.4],
                rate => Assert.Equal(
                    [Mode.Grpc, Mode.Binary, Mode.Json],
                    transports.Where(measurement => measurement.Rate == rate).Select(measurement => measurement.Mode)));
        }
    }

    // A yardstick belongs to the measurement compared with it. Lockstep always runs at max, so it differs in two factors.
    [Fact]
    public void Apart_from_the_mode_each_measurement_differs_from_its_baseline_in_one_factor()
    {
        foreach (var factor in ComparisonPlan.Full(Everything).Factors.Where(factor => factor.Name != "transports"))
        {
            Assert.Contains(factor.Baseline, factor.Measurements);
            Assert.All(
                factor.Measurements.Where(measurement => measurement.Sender == factor.Baseline.Sender || factor.Name == "overhead"),
                measurement => Assert.InRange(Differences(measurement, factor.Baseline).Count(), 0, 1));
            Assert.All(
                factor.Measurements.Where(measurement => measurement.Sender != Sender.Bridge),
                measurement => Assert.Contains(
                    factor.Measurements, other => other == measurement with { Sender = Sender.Bridge, Mode = other.Mode }));
        }

        static IEnumerable<string> Differences(Measurement measurement, Measurement baseline) => typeof(Measurement)
            .GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(property => property.CanWrite && property.Name != nameof(Measurement.Mode)
                && !Equals(property.GetValue(measurement), property.GetValue(baseline)))
            .Select(property => property.Name);
    }

    [Fact]
    public void Measurements_that_the_machine_does_not_support_are_left_out()
    {
        var measurements = ComparisonPlan.Full(Little).Measurements;
        Assert.DoesNotContain(measurements, measurement => measurement.Unix || measurement.LinkMbit > 0);
        Assert.DoesNotContain(measurements, measurement => measurement.Python > 0 || measurement.Mode == Mode.Memory);
        var all = ComparisonPlan.Full(Everything).Measurements;
        Assert.Contains(all, measurement => measurement.Packing == Packing.GroupZstd && measurement.LinkMbit > 0);
        Assert.Contains(all, measurement => measurement.Python == 1);
        Assert.Contains(all, measurement => measurement.Subscribers == 64 && measurement.Mode == Mode.Json);
        Assert.DoesNotContain(
            all, measurement => measurement.Mode == Mode.Memory && (measurement.LinkMbit > 0 || measurement.Packing != Packing.None));
    }

    [Fact]
    public void Transports_are_measured_for_one_agent_and_for_all_with_and_without_a_link()
    {
        var plan = ComparisonPlan.Choice(Everything, 20, 50);
        Assert.InRange(plan.EstimateSeconds / 60, 5, 20);
        Assert.Equal(4, plan.Factors.Count);
        Assert.All(plan.Factors, factor => Assert.Contains(factor.Baseline, factor.Measurements));
        Assert.Equal(
            [(1, 0), (1, 50), (20, 0), (20, 50)],
            plan.Measurements.Select(one => (one.Subscribers, (int)one.LinkMbit)).Distinct().Order());
        Assert.DoesNotContain(plan.Measurements, one => one.Mode == Mode.Memory && (one.LinkMbit > 0 || one.Packing != Packing.None));
        Assert.Equal(2, ComparisonPlan.Choice(Everything, 1, 50).Factors.Count);
        Assert.Equal(2, ComparisonPlan.Choice(Everything, 20, 0).Factors.Count);
    }

    [Fact]
    public void Each_mode_is_measured_with_both_contents_packed_and_not_at_both_rates()
    {
        var plan = ComparisonPlan.Contents(Everything);
        Assert.InRange(plan.EstimateSeconds / 60, 5, 10);
        var ways = plan.Factors.Single(factor => factor.Name == "content").Measurements;
        Assert.Equal(28, ways.Distinct().Count());
        Assert.Equal(
            [Packing.None],
            ways.Where(one => one.Mode == Mode.Memory).Select(one => one.Packing).Distinct());
        Assert.All(
            plan.Factors.Single(factor => factor.Name == "subscribers").Measurements.GroupBy(one => one.Mode),
            mode => Assert.Equal([1, 64], mode.Select(one => one.Subscribers)));
    }

    [Fact]
    public void Every_measurement_has_a_unique_id_and_name()
    {
        var measurements = ComparisonPlan.Full(Everything).Measurements;
        Assert.Equal(measurements.Count, measurements.Select(measurement => measurement.Id).Distinct().Count());
        Assert.Equal(measurements.Count, measurements.Select(measurement => (measurement.Name, measurement.Rate)).Distinct().Count());
    }

    [Fact]
    public void Every_round_has_every_measurement_once_in_a_different_order()
    {
        var plan = ComparisonPlan.Quick(Everything);
        Assert.Equal(plan.Order(1), plan.Order(1));
        Assert.NotEqual(plan.Order(1), plan.Order(2));
        Assert.Equal(plan.Measurements.OrderBy(measurement => measurement.Id), plan.Order(3).OrderBy(measurement => measurement.Id));
    }

    [Theory]
    [InlineData("overhead", "overhead", 9)]
    [InlineData("JSON", "transports", 2)]
    [InlineData("nothing", null, 0)]
    public void Only_named_measurements_are_kept(string word, string? table, int measurements)
    {
        var plan = ComparisonPlan.Quick(Everything).Only([word]);
        Assert.Equal(table, plan.Factors.Select(factor => factor.Name).FirstOrDefault());
        Assert.Equal(measurements, plan.Factors.Count > 0 ? plan.Factors[0].Measurements.Count : 0);
    }
}
