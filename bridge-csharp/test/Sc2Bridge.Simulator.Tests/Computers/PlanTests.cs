using Sc2Bridge.Simulator.Computers;

namespace Sc2Bridge.Simulator.Tests.Computers;

public sealed class PlanTests
{
    private const string Two = """
        plan One Terran
        for Rush RandomBuild
        supply SupplyDepot
        gas Refinery
        1 base
        14 Barracks      # the first
        16 Barracks x2
        3 bases
        30 Factory
        spare minerals
        Barracks x4
        army
        60 Marine
        plan Other Terran
        for RandomBuild
        supply SupplyDepot
        gas Refinery
        """;

    [Fact]
    public void A_line_wants_so_many_more_from_so_many_workers_on()
    {
        var plan = PlanReader.Read(Two)[0];
        Assert.Equal(
            [("Barracks", 1, 1, 14), ("Barracks", 3, 1, 16), ("Factory", 1, 3, 30)],
            plan.Buildings.Select(b => (b.Type.Name, b.Count, b.Bases, b.Workers)));
        Assert.Equal(("Barracks", 7, 0), Assert.Single(plan.Production.Select(b => (b.Type.Name, b.Count, b.Workers))));
        Assert.Equal(("Marine", 60), Assert.Single(plan.Army.Select(unit => (unit.Type.Name, unit.Weight))));
    }

    [Fact]
    public void The_opening_and_then_chance_choose_a_plan()
    {
        var plans = PlanReader.Read(Two);
        string Name(AIBuild build, int drawn) => Plan.Choose(plans, Race.Terran, build, _ => drawn).Name;
        Assert.Equal(["One", "Other"], new[] { Name(AIBuild.RandomBuild, 0), Name(AIBuild.RandomBuild, 1) });
        Assert.Equal(["One", "One"], new[] { Name(AIBuild.Rush, 1), Name(AIBuild.Air, 1) });
    }

    [Theory]
    [InlineData("14 Barrack", "line 5, '14 Barrack': 'Barrack' is not the name of a unit type")]
    [InlineData("research\nStim", "line 6, 'Stim'")]
    [InlineData("for Bio", "line 5, 'for Bio'")]
    public void A_wrong_line_is_named(string lines, string message)
    {
        var text = "plan One Terran\nfor Rush\nsupply SupplyDepot\ngas Refinery\n" + lines;
        Assert.Contains(message, Assert.Throws<FormatException>(() => PlanReader.Read(text)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Each_race_has_a_plan_of_what_its_workers_can_build()
    {
        Assert.Equal([Race.Terran, Race.Zerg, Race.Protoss], Plan.All.Select(plan => plan.Race).Distinct());
        Assert.All(Plan.All, plan =>
        {
            var worker = WorldSetup.WorkerOf(plan.Race);
            Assert.All(
                plan.Buildings.Concat(plan.Production).Select(b => b.Type).Append(plan.Refinery),
                type => Assert.NotNull(worker.AbilityOf(type.MadeBy!.Id)));
        });
    }
}
