using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// Writes events around payloads that are not the observation itself; protobuf backwards, JSON forwards.
/// </summary>
internal static class FrameMessage
{
    // What stands in a block beside bytes and their heads: group, index, window, size.
    private const int BlockNumbers = 11 + 6 + 6 + 6;

    // The tag and the length of a field of bytes, and its entry among the sizes.
    private const int Head = 2 + 5 + 5;

    /// <summary>Writes a block's message for all who lack nothing before it.</summary>
    public static void WriteShared(GroupBlock block, in FrameHeader header, bool isText)
    {
        var buffer = block.Buffer;
        if (isText)
        {
            var start = MessageBuffer.Headroom + buffer.Length;

            // Room for all of it first: the data must stand still while it is read.
            buffer.GetSpan(FrameText.RoomFor(block, block.Index));
            FrameText.Write(buffer, header, default, block, block.Index);
            block.SetMessage(start, MessageBuffer.Headroom + buffer.Length);
            return;
        }

        var payloadEnd = MessageBuffer.Headroom + buffer.Length;
        var writer = new BackwardWriter(buffer.Array, MessageBuffer.Headroom);
        WriteBlockHead(ref writer, block, block.Index);
        var eventStart = FrameEnvelope.WriteBefore(
            buffer.Array, writer.Start, payloadEnd - writer.Start, header, default, V1.Frame.BlockFieldNumber);
        block.SetMessage(eventStart, payloadEnd);
    }

    /// <summary>Writes a frame with a payload of bytes, or of a message's bytes.</summary>
    /// <param name="buffer">Written anew.</param>
    /// <param name="frame">Its header, and what one subscriber has of its own.</param>
    /// <param name="field">The payload's field.</param>
    /// <param name="payload">Its content.</param>
    /// <returns>The event, in the buffer.</returns>
    public static ReadOnlyMemory<byte> Write(MessageBuffer buffer, ObservationFrame frame, int field, ReadOnlySpan<byte> payload)
    {
        buffer.Clear();
        var start = MessageBuffer.Headroom + frame.Own.Length;
        buffer.GetSpan(frame.Own.Length + payload.Length);
        payload.CopyTo(buffer.Array.AsSpan(start));
        return Enveloped(buffer, frame, start, start + payload.Length, field);
    }

    /// <summary>Appends a frame with a payload of bytes, or of a message's bytes.</summary>
    /// <param name="buffer">Empty.</param>
    /// <param name="header">The frame's.</param>
    /// <param name="field">The payload's field.</param>
    /// <param name="payload">Its content.</param>
    public static void Append(MessageBuffer buffer, in FrameHeader header, int field, ReadOnlySpan<byte> payload)
    {
        // Written to end where the headroom does, and moved to where the buffer's message begins.
        var array = buffer.Array;
        var start = FrameEnvelope.WriteBefore(array, MessageBuffer.Headroom, payload.Length, header, default, field);
        var envelope = array.AsSpan(start, MessageBuffer.Headroom - start);
        var to = buffer.GetSpan(envelope.Length + payload.Length);
        envelope.CopyTo(to);
        payload.CopyTo(to[envelope.Length..]);
        buffer.Advance(envelope.Length + payload.Length);
    }

    /// <summary>Writes a frame with a block and the earlier ones that its subscriber lacks.</summary>
    /// <param name="buffer">Written anew.</param>
    /// <param name="frame">Its header, and what one subscriber has of its own.</param>
    /// <param name="block">The frame's.</param>
    /// <param name="first">The first that the subscriber lacks; the block's own index for none.</param>
    /// <returns>The event, in the buffer.</returns>
    public static ReadOnlyMemory<byte> Write(MessageBuffer buffer, ObservationFrame frame, GroupBlock block, int first)
    {
        var length = BlockNumbers + Head + block.Data.Length;
        for (var index = first; index < block.Index; index++)
        {
            length += Head + block.Group[index].Data.Length;
        }

        buffer.Clear();
        var end = MessageBuffer.Headroom + frame.Own.Length + length;
        buffer.GetSpan(frame.Own.Length + length);
        var start = end - block.Data.Length;
        block.Data.Span.CopyTo(buffer.Array.AsSpan(start));
        var writer = new BackwardWriter(buffer.Array, start);
        WriteBlockHead(ref writer, block, first);
        return Enveloped(buffer, frame, writer.Start, end, V1.Frame.BlockFieldNumber);
    }

    private static ReadOnlyMemory<byte> Enveloped(MessageBuffer buffer, ObservationFrame frame, int start, int end, int field)
    {
        var eventStart = FrameEnvelope.WriteBefore(
            buffer.Array, start, end - start, frame.Header, frame.Own.Span, field);
        return buffer.Array.AsMemory(eventStart..end);
    }

    // Everything in a block before its data.
    private static void WriteBlockHead(ref BackwardWriter writer, GroupBlock block, int first)
    {
        var group = block.Group;
        writer.Head(V1.Block.DataFieldNumber, block.Data.Length);
        for (var index = block.Index - 1; index >= first; index--)
        {
            writer.Bytes(V1.Block.EarlierFieldNumber, group[index].Data.Span);
        }

        var sizesEnd = writer.Start;
        for (var index = block.Index - 1; index >= first; index--)
        {
            writer.Varint((uint)group[index].Size);
        }

        if (first < block.Index)
        {
            writer.Head(V1.Block.EarlierSizesFieldNumber, sizesEnd - writer.Start);
        }

        writer.Number(V1.Block.SizeFieldNumber, (uint)block.Size);
        writer.Number(V1.Block.WindowLogFieldNumber, (uint)group.WindowLog);
        writer.Number(V1.Block.IndexFieldNumber, (uint)block.Index);
        writer.Number(V1.Block.GroupFieldNumber, group.Number);
    }
}
