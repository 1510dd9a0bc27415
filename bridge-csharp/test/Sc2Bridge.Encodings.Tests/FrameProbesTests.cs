using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Encodings.Tests;

public sealed class FrameProbesTests
{
    [Fact]
    public void Our_JSON_is_timed_both_ways_on_each_frame()
    {
        var observation = new ResponseObservation { Observation = new Observation { GameLoop = 9 } };
        for (var step = 0ul; step < 3; step++)
        {
            var figures = Measure(observation.ToByteArray(), step);
            Assert.Equal("{\"observation\":{\"gameLoop\":9}}".Length, figures.JsonBytes);
            Assert.True(figures.JsonEventBytes > figures.JsonBytes);
            Assert.True(figures is { JsonWriteUs: > 0, JsonParseUs: > 0 });
        }
    }

    [Fact]
    public void Bytes_that_are_no_observation_leave_the_cells_empty_of_what_reads_them()
    {
        // zstd compresses any bytes.
        var figures = Measure([0x1A, 0xFF], 0);
        Assert.Equal(new CodecFigures { ZstdAddedBytes = figures.ZstdAddedBytes }, figures);
    }

    private static CodecFigures Measure(byte[] observation, ulong step)
    {
        var frame = ObservationFrame.Copy(observation, new FrameHeader("match-1", 0, step, 9, 1, 2));
        var figures = new CodecFigures();
        foreach (var probe in FrameProbes.All())
        {
            probe.Measure(frame, ref figures);
        }

        frame.Release();
        return figures;
    }
}
