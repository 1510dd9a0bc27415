using System.Buffers;
using System.Diagnostics;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests;

public sealed class MatchTests(ITestOutputHelper output)
{
    private const int Late = 12_000;
    private const int End = 16_860;

    [Theory]
    [InlineData(SimulatorDefaults.Seed)]
    [InlineData(9)]
    [InlineData(18)]
    [InlineData(30)]
    [InlineData(47)]
    public void Observations_of_two_elites_grow_as_real_ones_do(uint seed)
    {
        var game = Game.Joined(Game.Create(seed));
        var answer = new ArrayBufferWriter<byte>();
        var observe = new Request { Observation = new RequestObservation() };
        var late = new List<int>();
        var times = new List<double>();
        var told = $"seed {seed}, KiB each 1,000 loops:";
        for (var loop = 0; loop <= End; loop += 20)
        {
            answer.ResetWrittenCount();
            var started = Stopwatch.GetTimestamp();
            game.Handle(observe, answer, TestContext.Current.CancellationToken);
            if (loop == 0)
            {
                Assert.InRange(answer.WrittenCount, 43 * 1024, 47 * 1024);
            }
            else if (loop >= Late)
            {
                times.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
                late.Add(answer.WrittenCount);
            }

            told += loop % 1000 == 0 ? $" {answer.WrittenCount / 1024}" : "";
            game.Step(20);
        }

        times.Sort();
        output.WriteLine(told);
        output.WriteLine($"late: {late.Min() / 1024.0:F1} to {late.Max() / 1024.0:F1} KiB, each made in " +
            $"{times[times.Count / 2]:F3} ms (median; p99 {times[times.Count * 99 / 100]:F3})");
        Assert.Equal(Status.InGame, game.Status);
        Assert.InRange(late.Min(), 134 * 1024, 169 * 1024);
        Assert.InRange(late.Max(), 160 * 1024, 169 * 1024);
    }

    [Fact]
    public void What_an_observation_shows_changes_along_the_match()
    {
        var game = Game.Joined(Game.Create(SimulatorDefaults.Seed));
        var first = game.Observe().Observation.Observation;
        game.Step(Late);
        var late = game.Observe().Observation.Observation;
        var next = Next(game);
        Assert.NotEqual(first.RawData.MapState.Creep.Data, late.RawData.MapState.Creep.Data);
        Assert.NotEqual(first.RawData.MapState.Visibility.Data, late.RawData.MapState.Visibility.Data);
        Assert.NotEmpty(late.RawData.Event.DeadUnits);
        Assert.Contains(late.RawData.Units, u => u.BuffIds.Count > 0);
        Assert.Contains(late.RawData.Units, u => u.BuildProgress < 1);
        Assert.Contains(late.RawData.Units, u => u.Health < u.HealthMax);
        Assert.Equal(2, late.RawData.Units.Where(u => u.Owner != 16).Select(u => u.Owner).Distinct().Count());
        Assert.Equal(late.RawData.Units.Count, late.RawData.Units.Select(u => u.Tag).Distinct().Count());

        var before = late.RawData.Units.ToDictionary(u => u.Tag);
        var changed = next.RawData.Units.Count(u => !before.TryGetValue(u.Tag, out var was) || !u.Equals(was));
        output.WriteLine($"{changed} of {next.RawData.Units.Count} units differ from one step to the next");
        Assert.InRange(changed, 1, next.RawData.Units.Count);

        static Observation Next(GameApi game)
        {
            game.Step(1);
            return game.Observe().Observation.Observation;
        }
    }

    [Fact]
    public void The_stronger_computer_wins()
    {
        var game = Game.Joined(Game.Create(seed: 5, second: Difficulty.VeryEasy));
        game.Step(40_000);
        var last = game.Observe();
        Assert.Equal(Status.Ended, last.Status);
        Assert.Equal(2, last.Observation.PlayerResult.Count);
        Assert.Equal(Result.Victory, Assert.Single(last.Observation.PlayerResult, r => r.PlayerId == 1).Result);
    }

    [Fact]
    public void The_same_seed_gives_the_same_bytes_and_another_other_ones()
    {
        static ByteString Play(uint seed)
        {
            var game = Game.Joined(Game.Create(seed));
            game.Step(Late);
            return game.Observe().ToByteString();
        }

        var one = Play(7);
        Assert.Equal(one, Play(7));
        Assert.NotEqual(one, Play(8));
    }
}
