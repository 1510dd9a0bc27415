using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Bench.Tests;

/// <summary>Statistics, and that everything is timed as often as it says.</summary>
public sealed class TimesTests
{
    private static readonly byte[] Frame =
        WorstCaseFrames.Make(1, WorstCaseFrames.Seed, CancellationToken.None).Observation(0);

    [Fact]
    public void The_mean_drops_an_eighth_at_each_end()
    {
        var samples = new Samples();
        foreach (var value in (double[])[100, 3, 4, 5, 6, 1, 2, -50])
        {
            samples.Add(value);
        }

        Assert.Equal(new Times(8, -50, 3.5, 100), Times.Of(samples));
    }

    [Fact]
    public void Every_codec_takes_every_observation_once_after_the_warm_up()
    {
        var rows = CodecTimes.Measure(Codec.All(), [Frame], [Frame, Frame]);
        Assert.Equal(Codec.All().Count, rows.Count);
        Assert.All(rows, row => Assert.Equal((2, 2), (row.Write.Steps, row.Read.Steps)));
    }

    [Fact]
    public void The_published_ratio_is_that_of_the_published_sizes()
    {
        Assert.Equal(7.2, PublishedFigures.LeastRatio, 1);
        Assert.Equal(9.1, PublishedFigures.GreatestRatio, 1);
    }

    [Theory]
    [InlineData(40, true, 41.0, true)]
    [InlineData(40, true, 39.0, false)]
    [InlineData(0.1, false, 0.1, true)]
    [InlineData(0.1, false, 0.2, false)]
    [InlineData(0.1, false, null, null)]
    public void A_goal_is_reached_on_the_match(double bound, bool atLeast, double? match, bool? reached) =>
        Assert.Equal(reached, new GoalRow("a goal", bound, atLeast, match, null).Reached);

    [Fact]
    public void Every_operation_does_what_it_says_on_every_message()
    {
        foreach (var operation in MessageOperation.Of(MessageCase.All(Frame, Frame)))
        {
            Assert.NotNull(operation.Do());
            Assert.True(operation.UsedBytes > 0);
            Assert.Contains(operation.Verb, (string[])["read", "write"]);
        }
    }

    [Fact]
    public void Objects_are_counted_from_the_runtimes_samples()
    {
        using var counter = new AllocationCounter();
        var objects = counter.Count(
            () => Enumerable.Range(0, 50).Select(size => new byte[size * 10]).ToArray(), 15_000, 4_000);
        // An estimate: from some hundreds of samples.
        Assert.InRange(objects!.Value, 35, 70);
        Assert.Equal(0, counter.Count(() => null, 0, 1));
    }
}
