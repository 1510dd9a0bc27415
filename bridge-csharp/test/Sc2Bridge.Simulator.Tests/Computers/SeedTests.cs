using Google.Protobuf;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Simulator.Tests.Computers;

public sealed class SeedTests
{
    [Fact]
    public void Each_of_eight_seeds_gives_another_match_before_loop_500()
    {
        var observed = Enumerable.Range(1, 8)
            .Select(seed => ByteString.CopyFrom(new ObservationWriter(Elites(seed, 500)).Write(0, Game.Options, true)));
        Assert.Equal(8, observed.Distinct().Count());
    }

    // Tanks have a second factory by then, and Roaches a lair.
    [Fact]
    public void Seeds_choose_the_plans_of_both_players()
    {
        var plans = Enumerable.Range(1, 8).Select(seed => Elites(seed, 6000)).Select(world =>
            (Count(world, UnitId.Factory) > 1, Count(world, UnitId.Lair) > 0));
        Assert.Equal(4, plans.Distinct().Count());

        static int Count(GameWorld world, int type) => world.Units.Count(unit => unit.Type.Id == type);
    }

    private static GameWorld Elites(int seed, int loops) => ComputerMatch.Play(
        ComputerMatch.Player(Race.Terran), ComputerMatch.Player(Race.Zerg), (uint)seed, loops);
}
