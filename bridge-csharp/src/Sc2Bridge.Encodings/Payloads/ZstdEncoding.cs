using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// A frame's event whose payload is one zstd frame, which declares the content's size. The event is made once and shared.
/// </summary>
/// <param name="Content">The kind of content.</param>
/// <param name="Pool">The compression contexts.</param>
internal sealed record ZstdEncoding(PayloadKind Content, ZstdPool Pool) : IFrameEncoding<MessageBuffer>
{
    /// <inheritdoc/>
    public EncodingKind Kind => EncodingKind.Zstd;

    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        using var content = Content.BytesOf(frame);
        var zstd = Pool.Rent();
        var buffer = MessageBuffer.Rent(content.Memory.Length);
        try
        {
            zstd.Compress(content.Span, buffer);
            EnvelopeWriter.Prepend(buffer, frame.Header, Content.Content, V1.Frame.ZstdFieldNumber);
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
