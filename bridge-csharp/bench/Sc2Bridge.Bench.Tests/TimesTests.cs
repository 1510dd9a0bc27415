using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Bench.Tests;

/// <summary>Statistics, and the number of times that each operation is measured.</summary>
public sealed class TimesTests
{
    private static readonly byte[] Frame = MeasuredMatch.Simulated(1, 1, CancellationToken.None).Single().Observation;

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
        Assert.All(rows, row => Assert.Equal(
            (2, row.Format == "columns" ? null : 2), (row.Write?.Steps, row.Read?.Steps)));
    }
}
