using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Bench.Tests;

/// <summary>The choice of measured steps is the same each time.</summary>
public sealed class MeasuredMatchTests
{
    [Fact]
    public void Consecutive_steps_are_a_game_loop_apart_and_the_same_each_time()
    {
        var steps = MeasuredMatch.Simulated(1, 5, Ct);
        var loops = steps.Select(step => ResponseObservation.Parser.ParseFrom(step.Observation).Observation.GameLoop);
        Assert.Equal([0u, 1, 2, 3, 4], loops);
        Assert.Equal([.. steps.Select(step => step.Observation)], (byte[][])[.. steps.Select(step => step.Observation)]);
        Assert.Equal("the first 5 of 16,860 steps", steps.Describe());
    }

    [Fact]
    public void An_observation_is_the_bytes_that_the_game_answers()
    {
        var step = MeasuredMatch.Simulated(1, 1, Ct).Single();
        var game = new SimulatedMatch().Game;
        var answer = game.Handle(new Request { Observation = new RequestObservation() });
        Assert.Equal(answer.Observation.ToByteArray(), step.Observation);
    }

    [Theory]
    [InlineData(7, 64, "7 runs of 64 consecutive steps, spread evenly over 16,860")]
    [InlineData(1, SimulatedMatch.Length, "all 16,860 steps")]
    public void Says_which_steps_they_are(int runs, int length, string words)
    {
        var steps = MeasuredMatch.Simulated(runs, length, Ct);
        Assert.Equal(words, steps.Describe());
        Assert.Equal(runs * length, steps.Count);
    }

    [Fact]
    public void Is_stopped_between_stretches()
    {
        using var stopped = new CancellationTokenSource();
        stopped.Cancel();
        Assert.Throws<OperationCanceledException>(() => MeasuredMatch.Simulated(2, 1, stopped.Token).ToList());
    }
}
