using System.Diagnostics;
using Google.Protobuf;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Simulator.Tests.Computers;

/// <summary>The match of two Elite computers that benchmarks play: its length and its appearance.</summary>
public sealed class MatchTests(ITestOutputHelper output)
{
    private const int Late = 14_500;
    private const int End = 16_860;

    [Theory]
    [Trait("Suite", "Slow")]
    [InlineData(SimulatorDefaults.Seed, 90, 125)]
    [InlineData(5, 80, 105, Traits = ["Suite", "Long"])]
    [InlineData(19, 80, 105, Traits = ["Suite", "Long"])]
    public void Observations_of_two_Elites_grow_as_real_ones_do(uint seed, int least, int most)
    {
        var late = new List<int>();
        var told = $"seed {seed}, KiB each 1,000 loops:";
        ObservationWriter? writer = null;
        var world = ComputerMatch.Play(
            ComputerMatch.Player(Race.Terran), ComputerMatch.Player(Race.Zerg), seed, End, Observe);
        output.WriteLine(told);
        output.WriteLine($"late: {late.Min() / 1024.0:F1} to {late.Max() / 1024.0:F1} KiB");
        Assert.False(world.Ended);
        Assert.InRange(late.Min(), least * 1024, 169 * 1024);
        Assert.InRange(late.Max(), most * 1024, 169 * 1024);

        void Observe(GameWorld world)
        {
            writer ??= new ObservationWriter(world);
            if (world.Loop % 1000 == 0 || (world.Loop >= Late && world.Loop % 20 == 0))
            {
                var size = writer.Write(0, Game.Options, true).Length;
                told += world.Loop % 1000 == 0 ? $" {size / 1024}" : "";
                late.AddRange(world.Loop >= Late ? [size] : Array.Empty<int>());
            }
        }
    }

    [Fact]
    public void The_first_observation_has_the_size_of_real_ones_by_map()
    {
        foreach (var map in GameMap.All)
        {
            var world = new GameWorld(
                map, [ComputerMatch.Player(Race.Terran), ComputerMatch.Player(Race.Zerg)], SimulatorDefaults.Seed);
            var size = new ObservationWriter(world).Write(0, Game.Options, true).Length / 1024.0;
            output.WriteLine($"{map.Name}, {map.Width} by {map.Height}: {size:F1} KiB at loop 0");
            Assert.InRange(size, 34, 86);
        }
    }

    [Fact]
    [Trait("Suite", "Long")]
    public void What_an_observation_shows_changes_along_the_match()
    {
        var game = Game.Joined(Game.Create(SimulatorDefaults.Seed));
        var first = game.Observe().Observation.Observation;
        game.Step(Late);
        var late = game.Observe().Observation.Observation;
        game.Step(1);
        var next = game.Observe().Observation.Observation;
        Assert.NotEqual(first.RawData.MapState.Creep.Data, late.RawData.MapState.Creep.Data);
        Assert.NotEqual(first.RawData.MapState.Visibility.Data, late.RawData.MapState.Visibility.Data);
        Assert.NotEmpty(late.RawData.Event.DeadUnits);
        Assert.Contains(late.RawData.Units, u => u.BuffIds.Count > 0);
        Assert.Contains(late.RawData.Units, u => u.BuildProgress < 1);
        Assert.Equal(2, late.RawData.Units.Where(u => u.Owner != 16).Select(u => u.Owner).Distinct().Count());
        Assert.Equal(late.RawData.Units.Count, late.RawData.Units.Select(u => u.Tag).Distinct().Count());

        var before = late.RawData.Units.ToDictionary(u => u.Tag);
        var changed = next.RawData.Units.Count(u => !before.TryGetValue(u.Tag, out var was) || !u.Equals(was));
        output.WriteLine($"{changed} of {next.RawData.Units.Count} units differ from one step to the next");
        Assert.InRange(changed, next.RawData.Units.Count / 12, next.RawData.Units.Count * 9 / 10);
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task The_same_seed_gives_the_same_bytes_and_another_other_ones()
    {
        static ByteString Play(uint seed)
        {
            var game = Game.Joined(Game.Create(seed));
            game.Step(Late / 2);
            return game.Observe().ToByteString();
        }

        var plays = await Task.WhenAll(new uint[] { 7, 7, 8 }.Select(seed => Task.Run(() => Play(seed))));
        Assert.Equal(plays[0], plays[1]);
        Assert.NotEqual(plays[0], plays[2]);
    }

    [Fact]
    [Trait("Suite", "Long")]
    public void A_match_of_two_Elites_reaches_its_last_loop()
    {
        var watch = Stopwatch.StartNew();
        var world = ComputerMatch.Play(
            ComputerMatch.Player(Race.Terran), ComputerMatch.Player(Race.Zerg), SimulatorDefaults.Seed, End);
        var seconds = watch.Elapsed.TotalSeconds;
        output.WriteLine($"{world.Loop} loops in {seconds:F1} s: {world.Loop / seconds:F0} a second");
        Assert.Equal(End, world.Loop);
    }

    [Fact]
    public void Each_of_eight_seeds_gives_another_match_before_loop_500()
    {
        var observed = Enumerable.Range(1, 8)
            .Select(seed => ByteString.CopyFrom(new ObservationWriter(Elites(seed, 500)).Write(0, Game.Options, true)));
        Assert.Equal(8, observed.Distinct().Count());
    }

    // Tanks need a second factory by then, and roaches a lair.
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
