namespace Sc2Bridge.Simulator.Tests.World;

public sealed class LifeTests
{
    [Fact]
    public void Energy_comes_at_the_games_rate_and_not_above_its_most()
    {
        var arena = new Arena(first: Race.Protoss);
        var sentry = arena.Add(77, 1, 40, 40);
        arena.Run(1600);
        Assert.Equal((50 * 256) + (1600 * 9), sentry.Energy);
        sentry.Energy = 200 * 256;
        arena.Run(8);
        Assert.Equal(200 * 256, sentry.Energy);
    }

    [Fact]
    public void Zerg_heal_and_buildings_of_the_Terran_burn()
    {
        var arena = new Arena();
        var roach = arena.Add(110, 2, 60, 60);
        roach.Health = 100 * 256;
        var depot = arena.Add(19, 1, 40, 40);
        depot.Health = 30 * 256;
        arena.Run(160);
        Assert.Equal((100 * 256) + (20 * 35), roach.Health);
        Assert.False(depot.Alive);
        Assert.Equal(1, arena.World.PlayerOf(1).Score.UnitsLost);
        Assert.Equal(0, arena.World.PlayerOf(2).Score.UnitsKilled);
    }

    [Fact]
    public void Upgrades_make_faster_and_reach_farther()
    {
        var arena = new Arena(first: Race.Zerg);
        var zergling = arena.Add(105, 1, 40, 60);
        var slow = Movement.SpeedOf(arena.World, zergling);
        var hydralisk = arena.Add(107, 1, 40, 40);
        var target = arena.Add(110, 2, 46.6, 40);
        Assert.False(Combat.InRange(arena.World, hydralisk, target));
        arena.World.PlayerOf(1).Upgrades.UnionWith([66, 134]);
        Assert.True(Combat.InRange(arena.World, hydralisk, target));
        Assert.InRange(Movement.SpeedOf(arena.World, zergling) * 100 / slow, 158, 162);
    }
}
