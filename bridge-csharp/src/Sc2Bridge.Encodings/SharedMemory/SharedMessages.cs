using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.SharedMemory;

/// <summary>Writes a frame's content into shared memory once, for all subscribers that map the segment.</summary>
/// <param name="Segment">The segment.</param>
/// <param name="Content">The kind of content.</param>
internal sealed record SharedEncoding(SharedSegment Segment, PayloadKind Content) : IFrameEncoding<SharedBlock>
{
    /// <inheritdoc/>
    public SharedBlock Encode(ObservationFrame frame)
    {
        using var content = Content.BytesOf(frame);
        return Segment.Write(content.Span);
    }
}

/// <summary>Sends the position of the content in shared memory. If the subscriber keeps too many blocks or the segment is full, sends the content.</summary>
internal sealed class SharedMessages(SharedEncoding encoding, SharedWindow window) : FrameMessages(isDirect: true, isCompressed: false)
{
    // The maximum size of the protocol's SharedBlock: two field tags, and two numbers of up to 10 and 5 bytes.
    private const int MostReferenceBytes = 2 + 10 + 5;

    public override MessageSegments Encode(in Delivery delivery)
    {
        if (window.CanKeepBlock)
        {
            var block = delivery.Frame!.Encoded<SharedBlock>(encoding);
            if (window.TryGive(block))
            {
                return Reference(delivery, block);
            }
        }

        var content = encoding.Content.BytesOf(delivery.Frame!);
        if (content.Buffer is { } held)
        {
            KeepUntilWritten(held);
        }

        return WriteEnvelope(delivery, encoding.Content.Content, encoding.Content.Field, content.Memory);
    }

    // The message is in one array, so that one write sends it.
    private MessageSegments Reference(in Delivery delivery, SharedBlock block)
    {
        var own = Own;
        own.GetSpan(delivery.OwnFields.Length + MostReferenceBytes);
        var end = MessageBuffer.Headroom + delivery.OwnFields.Length + MostReferenceBytes;
        var payload = new BackwardWriter(own.Array, end);
        payload.WriteNumberEvenZero(V1Alpha1.SharedBlock.LengthFieldNumber, (ulong)block.Length);
        payload.WriteNumberEvenZero(V1Alpha1.SharedBlock.OffsetFieldNumber, (ulong)block.Offset);
        var start = EnvelopeWriter.WriteBefore(
            own.Array, payload.Start, end - payload.Start, delivery.Frame!.Header, delivery.OwnFields.Span, encoding.Content.Content,
            V1.Frame.SharedFieldNumber);
        return new MessageSegments(default, own.Array.AsMemory(start..end));
    }
}
