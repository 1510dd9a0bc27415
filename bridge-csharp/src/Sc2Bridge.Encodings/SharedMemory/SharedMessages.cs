using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.SharedMemory;

/// <summary>A frame's content, written once for all readers of a segment.</summary>
/// <param name="Segment">Where to.</param>
/// <param name="Content">What.</param>
internal sealed record SharedEncoding(SharedSegment Segment, PayloadKind Content) : IFrameEncoding<SharedBlock>
{
    /// <inheritdoc/>
    public SharedBlock Encode(ObservationFrame frame)
    {
        using var content = Content.BytesOf(frame);
        return Segment.Write(content.Span);
    }
}

/// <summary>Says where the content is; where the reader keeps too much of it, or there is no room, sends it.</summary>
internal sealed class SharedMessages(SharedEncoding encoding, SharedWindow window) : FrameMessages(isDirect: true, isCompressed: false)
{
    // A SharedBlock of the protocol: two tags, and numbers of up to 10 and 5 bytes.
    private const int MostBytes = 2 + 10 + 5;

    public override MessageSegments Encode(in Delivery delivery)
    {
        if (window.MayHold)
        {
            var block = delivery.Frame!.Encoded<SharedBlock>(encoding);
            if (window.Give(block))
            {
                return Reference(delivery, block);
            }
        }

        var content = encoding.Content.BytesOf(delivery.Frame!);
        if (content.Held is { } held)
        {
            Hold(held);
        }

        return Enveloped(delivery, encoding.Content.Content, encoding.Content.Field, content.Memory);
    }

    // One stretch of memory, for one write.
    private MessageSegments Reference(in Delivery delivery, SharedBlock block)
    {
        var own = Own;
        own.GetSpan(delivery.OwnFields.Length + MostBytes);
        var end = MessageBuffer.Headroom + delivery.OwnFields.Length + MostBytes;
        var payload = new BackwardWriter(own.Array, end);
        payload.Present(V1Alpha1.SharedBlock.LengthFieldNumber, (ulong)block.Length);
        payload.Present(V1Alpha1.SharedBlock.OffsetFieldNumber, (ulong)block.Offset);
        var start = FrameEnvelope.WriteBefore(
            own.Array, payload.Start, end - payload.Start, delivery.Frame!.Header, delivery.OwnFields.Span, encoding.Content.Content,
            V1.Frame.SharedFieldNumber);
        return new MessageSegments(default, own.Array.AsMemory(start..end));
    }
}
