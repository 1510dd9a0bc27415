using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>A frame's content alone as canonical JSON, in UTF-8: the observation, or the columns, whose vectors are base64.</summary>
/// <param name="Exclude">Parts that it is made without.</param>
/// <param name="IsColumns">Whether it is the columns.</param>
internal sealed record TextEncoding(PartSet Exclude, bool IsColumns) : IFrameEncoding<MessageBuffer>
{
    private static readonly JsonWriterPool _observations = new(ResponseObservation.Descriptor);
    private static readonly JsonWriterPool _columns = new(V1.Columns.Descriptor);

    /// <summary>Lets go of what is kept for texts to come.</summary>
    public static void Trim()
    {
        _observations.Trim();
        _columns.Trim();
    }

    /// <inheritdoc/>
    public EncodingKind Kind => Exclude == PartSet.None && !IsColumns ? EncodingKind.ObservationJson : EncodingKind.Other;

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        using var content = IsColumns ? frame.Encoded(new ColumnsEncoding(Exclude)) : frame.ObservationWithout(Exclude);
        return (IsColumns ? _columns : _observations).Write(frame, Exclude, content.Span);
    }
}

/// <summary>The whole message of a frame whose payload is text: made once for all who ask for it.</summary>
/// <param name="Content">The payload.</param>
internal sealed record TextMessageEncoding(PayloadKind Content) : IFrameEncoding<MessageBuffer>
{
    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        using var content = Content.BytesOf(frame);
        var payload = content.Span;
        var buffer = MessageBuffer.Rent(payload.Length + MessageBuffer.Headroom);
        try
        {
            FrameText.Write(buffer, frame.Header, Content, payload);
            return buffer;
        }
        catch
        {
            buffer.Release();
            throw;
        }
    }
}

/// <summary>The whole message, in JSON, of a frame whose payload is compressed alone.</summary>
/// <param name="Zstd">The payload.</param>
internal sealed record ZstdTextEncoding(ZstdEncoding Zstd) : IFrameEncoding<MessageBuffer>
{
    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        using var made = frame.Encoded(Zstd);
        var zstd = made.Span;
        var buffer = MessageBuffer.Rent((zstd.Length * 4 / 3) + MessageBuffer.Headroom);
        FrameText.WriteZstd(buffer, frame.Header, Zstd.Content, zstd);
        return buffer;
    }
}
