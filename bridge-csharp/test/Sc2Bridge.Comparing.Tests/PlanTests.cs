using System.Reflection;
using Sc2Bridge.Comparing.Cells;

namespace Sc2Bridge.Comparing.Tests;

/// <summary>What is measured: one factor at a time, all that the machine has the means for, in a stated time.</summary>
public sealed class PlanTests
{
    private static readonly Means Everything = new(
        Pythons: 2, Node: true, Zstd: true, Unix: true, Links: [10, 100], PythonSc2: 0)
    {
        Loops = [100, 6_000],
    };

    private static readonly Means Little = new(Pythons: 1, Node: false, Zstd: false, Unix: false, Links: []);

    [Fact]
    public void A_quick_one_fits_into_a_minute_with_what_starts_around_it() =>
        Assert.InRange(ComparisonPlan.Quick(Everything).Estimate.TotalSeconds, 10, 50);

    [Fact]
    public void A_full_one_is_an_hour_and_not_days() =>
        Assert.InRange(ComparisonPlan.Full(Everything).Estimate.TotalMinutes, 10, 60);

    [Fact]
    public void What_scale_takes_of_it_is_minutes()
    {
        var scale = ComparisonPlan.Full(Everything).Scale!;
        Assert.InRange(scale.Estimate.TotalMinutes, 3, 9);
        Assert.Equal(ComparisonPlan.Full(Everything).Estimate - scale.Estimate,
            (ComparisonPlan.Full(Everything) with { Scale = null }).Estimate);
    }

    [Theory]
    [InlineData("scale", 3, 9)]
    [InlineData("scale: rate", 1, 0)]
    [InlineData("breaking", 0, 9)]
    [InlineData("breaking point, rate over gRPC", 0, 1)]
    [InlineData("gRPC", null, null)]
    [InlineData("yardsticks", null, null)]
    public void Of_scale_too_only_what_is_named_is_kept(string word, int? series, int? searches)
    {
        var scale = ComparisonPlan.Full(Everything).Only([word]).Scale;
        Assert.Equal((series, searches), (scale?.Series.Factors.Count, scale?.Searches.Count));
    }

    [Fact]
    public void The_modes_stand_beside_each_other_at_both_rates()
    {
        foreach (var plan in (ComparisonPlan[])[ComparisonPlan.Quick(Little), ComparisonPlan.Full(Little)])
        {
            var transports = plan.Factors.Single(factor => factor.Name == "transports").Cells;
            Assert.All(
                (double[])[16, 22.4],
                rate => Assert.Equal(
                    [Mode.Grpc, Mode.Binary, Mode.Json],
                    transports.Where(cell => cell.Rate == rate).Select(cell => cell.Mode)));
        }
    }

    // A yardstick stands beside what it is held against. Lockstep is at max by its nature, and so has two.
    [Fact]
    public void But_for_the_mode_one_thing_is_other_than_in_the_tables_baseline()
    {
        foreach (var factor in ComparisonPlan.Full(Everything).Factors.Where(factor => factor.Name != "transports"))
        {
            Assert.Contains(factor.Baseline, factor.Cells);
            Assert.All(
                factor.Cells.Where(cell => cell.Sender == factor.Baseline.Sender || factor.Name == "yardsticks"),
                cell => Assert.InRange(Differences(cell, factor.Baseline).Count(), 0, 1));
            Assert.All(
                factor.Cells.Where(cell => cell.Sender != Sender.Bridge),
                cell => Assert.Contains(
                    factor.Cells, other => other == cell with { Sender = Sender.Bridge, Mode = other.Mode }));
        }

        static IEnumerable<string> Differences(Cell cell, Cell baseline) => typeof(Cell)
            .GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(property => property.CanWrite && property.Name != nameof(Cell.Mode)
                && !Equals(property.GetValue(cell), property.GetValue(baseline)))
            .Select(property => property.Name);
    }

    [Fact]
    public void What_the_machine_cannot_do_is_in_no_cell()
    {
        var cells = ComparisonPlan.Full(Little).Cells;
        Assert.DoesNotContain(cells, cell => cell.Packing is Packing.Zstd or Packing.GroupZstd);
        Assert.DoesNotContain(cells, cell => cell.Unix || cell.LinkMbit > 0);
        Assert.DoesNotContain(cells, cell => cell.Agent == AgentKind.Node || cell.Python > 0);
        Assert.DoesNotContain(cells, cell => cell.Sender == Sender.Game);
        var all = ComparisonPlan.Full(Everything).Cells;
        Assert.Contains(all, cell => cell.Packing == Packing.GroupZstd && cell.LinkMbit > 0);
        Assert.Contains(all, cell => cell.Agent == AgentKind.Node);
        Assert.Contains(all, cell => cell.Subscribers == 64 && cell.Mode == Mode.Json);
    }

    [Fact]
    public void The_game_is_polled_at_its_rate_and_in_round_trips_by_the_Python_that_has_what_polls()
    {
        var plan = ComparisonPlan.Full(Everything with { PythonSc2 = 1 });
        var polled = plan.Factors.ToDictionary(
            factor => factor.Name, factor => factor.Cells.Where(cell => cell.Sender == Sender.Game).ToList());
        Assert.Equal(
            (Cell.GameRate, Hearing.Every), Rate(Assert.Single(polled["yardsticks"])));
        Assert.Equal((0, Hearing.Lockstep), Rate(Assert.Single(polled["round trips"])));
        Assert.All(polled.Values.SelectMany(cells => cells), cell => Assert.Equal(1, cell.Python));
        Assert.Equal(2, polled.Values.Sum(cells => cells.Count));
        Assert.Contains(
            ComparisonPlan.Quick(Everything).Cells, cell => cell is { Sender: Sender.Game, Rate: Cell.GameRate });

        static (double, Hearing) Rate(Cell cell) => (cell.Rate, cell.Hearing);
    }

    [Fact]
    public void Every_cell_has_an_id_and_a_name_of_its_own()
    {
        var full = ComparisonPlan.Full(Everything);
        IReadOnlyList<Cell> cells = [.. full.Cells, .. full.Scale!.Series.Cells];
        Assert.Equal(cells.Count, cells.Select(cell => cell.Id).Distinct().Count());
        Assert.Equal(cells.Count, cells.Select(cell => (cell.Name, cell.Rate)).Distinct().Count());
    }

    [Fact]
    public void Every_round_has_every_cell_once_in_an_order_of_its_own()
    {
        var plan = ComparisonPlan.Quick(Everything);
        Assert.Equal(plan.Order(1), plan.Order(1));
        Assert.NotEqual(plan.Order(1), plan.Order(2));
        Assert.Equal(plan.Cells.OrderBy(cell => cell.Id), plan.Order(3).OrderBy(cell => cell.Id));
    }

    [Theory]
    [InlineData("yardsticks", "yardsticks", 7)]
    [InlineData("JSON", "transports", 2)]
    [InlineData("scale", null, 0)]
    [InlineData("nothing", null, 0)]
    public void Only_what_is_named_is_kept(string word, string? table, int cells)
    {
        var plan = ComparisonPlan.Quick(Little).Only([word]);
        Assert.Equal(table, plan.Factors.Select(factor => factor.Name).FirstOrDefault());
        Assert.Equal(cells, plan.Factors.Count > 0 ? plan.Factors[0].Cells.Count : 0);
    }
}
