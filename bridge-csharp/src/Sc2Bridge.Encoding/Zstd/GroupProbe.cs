using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Encoding.Zstd;

/// <summary>
/// What each frame's observation takes in group zstd, as a subscriber that hears every frame would have it: in groups of
/// its own, whoever else compresses. Nothing where there is no libzstd.
/// </summary>
internal sealed class GroupProbe : IFrameProbe
{
    private readonly GroupCompressor? _compressor = ZstdLibrary.Problem is null ? new GroupCompressor() : null;

    /// <inheritdoc/>
    public void Measure(Frame frame, ref CodecFigures figures)
    {
        if (_compressor is not null)
        {
            var block = _compressor.Add(frame.Observation.Span);
            figures.ZstdBytes = block.Data.Length;
            block.Release();
        }
    }
}
