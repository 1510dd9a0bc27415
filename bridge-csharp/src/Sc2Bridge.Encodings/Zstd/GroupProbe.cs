using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// Measures each observation in group zstd, as a subscriber of every frame would get it: in groups of its own, one for
/// each perspective, independent of the subscribers'.
/// </summary>
internal sealed class GroupProbe : IFrameProbe
{
    private readonly Dictionary<uint, GroupCompressor> _compressors = [];

    /// <inheritdoc/>
    public void Read(ObservationFrame frame, ref CodecFigures figures) =>
        figures.ZstdBytes ??= frame.FigureOf(EncodingKind.GroupZstd)?.Bytes;

    /// <inheritdoc/>
    public void Measure(ObservationFrame frame, ref CodecFigures figures)
    {
        if (!_compressors.TryGetValue(frame.Header.Perspective, out var compressor))
        {
            _compressors[frame.Header.Perspective] = compressor = new GroupCompressor();
        }

        var block = compressor.Add(frame.Observation.Span);
        figures.ZstdBytes ??= block.Data.Length;
        block.Release();
    }
}
