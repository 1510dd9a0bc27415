using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// A frame's content as one zstd frame that tells its size, with the event's envelope before it; made once for all who
/// ask for it.
/// </summary>
/// <param name="Content">Of what content.</param>
/// <param name="Pool">Where contexts are kept.</param>
internal sealed record ZstdEncoding(PayloadKind Content, ZstdPool Pool) : IFrameEncoding<MessageBuffer>
{
    /// <inheritdoc/>
    public EncodingKind Kind => EncodingKind.Zstd;

    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        using var content = Content.BytesOf(frame);
        var zstd = Pool.Take();
        var buffer = MessageBuffer.Rent(content.Memory.Length);
        try
        {
            zstd.Compress(content.Span, buffer);
            FrameEnvelope.Prepend(buffer, frame.Header, Content.Content, V1.Frame.ZstdFieldNumber);
            return buffer;
        }
        catch
        {
            buffer.Release();
            throw;
        }
        finally
        {
            Pool.Return(zstd);
        }
    }
}
