using System.Buffers;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Encoding.Zstd;

/// <summary>
/// What each frame's observation takes in group zstd, as a subscriber that hears every frame would have it: in groups
/// of its own, one for each perspective, whoever else compresses. Nothing where there is no libzstd.
/// </summary>
internal sealed class GroupProbe : IFrameProbe
{
    // A compressor needs the last content beside the next, and a frame does not live as long: so there are two copies.
    private readonly Dictionary<uint, (GroupCompressor Compressor, MessageBuffer Last, MessageBuffer Next)>? _streams =
        ZstdLibrary.Problem is null ? [] : null;

    /// <inheritdoc/>
    public void Measure(Frame frame, ref CodecFigures figures)
    {
        if (_streams is null)
        {
            return;
        }

        if (!_streams.TryGetValue(frame.Header.Perspective, out var stream))
        {
            stream = (new GroupCompressor(), MessageBuffer.Rent(), MessageBuffer.Rent());
        }

        stream.Next.Clear();
        stream.Next.Write(frame.Observation.Span);
        var block = stream.Compressor.Add(stream.Next.Written);
        figures.ZstdBytes = block.Data.Length;
        block.Release();
        _streams[frame.Header.Perspective] = (stream.Compressor, stream.Next, stream.Last);
    }
}
