using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Observing;

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
    public void The_dead_keep_their_category_in_the_score()
    {
        var arena = new Arena();
        foreach (var type in TechTree.Units.Where(type => type.Minerals > 0 && type.Health > 0))
        {
            var unit = arena.Add(type.Id, 2, 60, 60);
            var used = UsedMinerals(arena);
            Casualties.Wound(arena.World, 1, unit, 0, unit.Health);
            arena.Run(1);
            Assert.False(unit.Alive);
            Assert.Equal((type.Name, used), (type.Name, UsedMinerals(arena)));
        }
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

    // The second player's mineral score: in use, and lost.
    private static CategoryScoreDetails UsedMinerals(Arena arena)
    {
        var wire = new WireWriter(MessageBuffer.Rent());
        ScoreWriter.Write(wire, arena.World, arena.World.PlayerOf(2));
        return Observation.Parser.ParseFrom(wire.Buffer.Written.Span).Score.ScoreDetails.TotalUsedMinerals;
    }
}
