using Sc2Bridge.Encodings.Tests.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Encodings.Tests.Zstd;

public sealed class GroupProbeTests
{
    [Fact]
    public void The_step_log_has_the_group_compressed_size_of_every_step()
    {
        var probes = FrameProbes.All();
        var sizes = new List<int>();
        for (var step = 0ul; step < 130; step++)
        {
            var frame = ObservationFrame.Copy(CompressedMatch.Observation(step), new FrameHeader("m", 0, step, (uint)step, 1, 2));
            var figures = new CodecFigures();
            foreach (var probe in probes)
            {
                probe.Measure(frame, ref figures);
            }

            frame.Release();
            sizes.Add(figures.ZstdAddedBytes!.Value);
        }

        // The first frame of a group is compressed alone.
        var firsts = sizes.Where((_, step) => step % 64 == 0);
        var rest = sizes.Where((_, step) => step % 64 > 0);
        Assert.True(firsts.Min() > rest.Max());
    }
}
