using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Bench.Tests;

/// <summary>Sizes and compressors.</summary>
public sealed class SizeTests
{
    private static readonly byte[][] Frames =
        [.. MeasuredMatch.Simulated(1, 3, CancellationToken.None).Select(step => step.Observation)];

    [Theory]
    [InlineData(1_000_000, 8, 1000)]
    [InlineData(125_000, 1000, 1)]
    [InlineData(0, 1, 0)]
    [InlineData(-5, 1, 0)]
    public void Compressing_pays_below_the_bits_saved_over_the_time_spent(double saved, double ms, double mbit) =>
        Assert.Equal(mbit, SizeRow.PaysBelow(saved, ms), 9);

    [Fact]
    public void Every_compressor_gives_back_whatever_it_is_given() => Prop.ForAll(
        ArbMap.Default.ArbFor<byte[][]>(),
        messages =>
        {
            var all = Compressor.All();
            foreach (var compressor in all)
            {
                compressor.Restart();
                foreach (var message in messages.Concat(Frames))
                {
                    var back = compressor.Decompress(compressor.Compress(message), message.Length);
                    Assert.True(back.Span.SequenceEqual(message), compressor.Name);
                }
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(20));

    [Fact]
    public void A_row_stands_for_each_format_and_compressor()
    {
        var steps = Frames.Select((frame, index) => new MatchStep(index, 0, frame)).ToList();
        var rows = SizeTable.Measure(2, steps);
        Assert.Equal(2 * (1 + Compressor.All().Count), rows.Count);
        var raw = rows[0];
        Assert.Equal(("protobuf", "none", 3L), (raw.Format, raw.Compression, raw.Steps));
        Assert.Equal(Frames.Average(frame => frame.Length), raw.MeanBytes, 6);
        Assert.Equal(raw.MeanBytes * 8 * 22.4 / 1e6, raw.MbitAt22, 9);
        Assert.All(rows.Where(row => row.Compression == "gzip"), row => Assert.Equal(2, row.Steps));
        Assert.All(rows.Where(row => row.CompressMs is not null), row => Assert.True(row.TimesFewer > 1));
    }
}
