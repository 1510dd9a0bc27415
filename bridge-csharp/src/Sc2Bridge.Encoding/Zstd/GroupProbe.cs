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
    private readonly Dictionary<uint, Stream>? _streams = ZstdLibrary.Problem is null ? [] : null;

    /// <inheritdoc/>
    public void Measure(Frame frame, ref CodecFigures figures)
    {
        if (_streams is null)
        {
            return;
        }

        if (!_streams.TryGetValue(frame.Header.Perspective, out var stream))
        {
            _streams[frame.Header.Perspective] = stream = new Stream();
        }

        figures.ZstdBytes = stream.Add(frame.Observation.Span);
    }

    private sealed class Stream
    {
        private readonly GroupCompressor _compressor = new();

        // The compressor needs the last content beside the next, and the frame does not live as long.
        private MessageBuffer _content = MessageBuffer.Rent();
        private MessageBuffer _last = MessageBuffer.Rent();

        public int Add(ReadOnlySpan<byte> content)
        {
            (_content, _last) = (_last, _content);
            _content.Clear();
            _content.Write(content);
            var block = _compressor.Add(_content.Written);
            var length = block.Data.Length;
            block.Release();
            return length;
        }
    }
}
