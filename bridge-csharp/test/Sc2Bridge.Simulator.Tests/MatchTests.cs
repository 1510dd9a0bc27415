using System.Diagnostics;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Tests;

public sealed class MatchTests(ITestOutputHelper output)
{
    [Fact]
    public void The_default_match_lasts_and_its_observations_grow_as_real_ones_do()
    {
        var game = Game.Joined(Game.Create(seed: SimulatorDefaults.Seed));
        var first = game.Observe().Observation;
        Assert.InRange(first.CalculateSize(), 40 * 1024, 50 * 1024);
        var watch = Stopwatch.StartNew();
        for (var loop = 0; loop < 16_860; loop += 1405)
        {
            game.Step(1405);
            var o = game.Observe();
            output.WriteLine($"{loop + 1405}: {o.Observation.CalculateSize() / 1024.0:F1} KiB, " +
                $"{o.Observation.Observation.RawData.Units.Count} units, {o.Status}; " + Describe(game));
        }

        output.WriteLine($"{watch.Elapsed.TotalSeconds:F2} s for 16,860 steps");
        Assert.Equal(Status.InGame, game.Status);
        var last = game.Observe().Observation;
        Assert.Equal(16_860u, last.Observation.GameLoop);
        Assert.InRange(last.CalculateSize(), 134 * 1024, 169 * 1024);
        Assert.NotEqual(first.Observation.RawData.MapState.Creep.Data, last.Observation.RawData.MapState.Creep.Data);
        Assert.NotEqual(first.Observation.RawData.MapState.Visibility.Data, last.Observation.RawData.MapState.Visibility.Data);
    }

    [Fact]
    public void Another_seed_ends_with_a_result()
    {
        var game = Game.Joined(Game.Create(seed: SimulatorDefaults.ShortMatchSeed));
        game.Step(16_860);
        var last = game.Observe();
        output.WriteLine($"{last.Observation.Observation.GameLoop}: {last.Observation.PlayerResult}");
        Assert.Equal(Status.Ended, last.Status);
        Assert.Equal(2, last.Observation.PlayerResult.Count);
    }

    [Fact]
    public void The_stronger_computer_wins()
    {
        var game = Game.Joined(Game.Create(seed: 5, second: Difficulty.VeryEasy));
        game.Step(40_000);
        var results = game.Observe().Observation.PlayerResult;
        Assert.Equal(Result.Victory, Assert.Single(results, r => r.PlayerId == 1).Result);
    }

    [Fact]
    public void The_same_seed_gives_the_same_bytes_and_another_other_ones()
    {
        static ByteString Play(uint seed)
        {
            var game = Game.Joined(Game.Create(seed));
            game.Step(4000);
            return game.Observe().ToByteString();
        }

        var one = Play(7);
        Assert.Equal(one, Play(7));
        Assert.NotEqual(one, Play(8));
    }

    private static string Describe(Sc2Bridge.Simulator.Api.GameApi game) => string.Join("; ", game.World!.Players.Select(p =>
        $"P{p.Id} style {p.Style} {p.HalfFoodUsed / 2}/{p.FoodCap} workers {p.HalfFoodWorkers / 2} m{p.Minerals} g{p.Vespene} " +
        $"lost {p.LostMinerals} up {p.Upgrades.Count} attacks {p.AttackOrdered}"));
}
