using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>Writes events around the blocks of a group.</summary>
internal static class BlockMessage
{
    // Bytes of a block's numbers: group, index, window, size.
    private const int BlockNumbers = 11 + 6 + 6 + 6;

    // The tag and the length of a field of bytes, and its entry among the sizes.
    private const int Head = 2 + 5 + 5;

    /// <summary>Writes a block's message for subscribers that have every earlier block.</summary>
    public static void WriteShared(GroupBlock block, in FrameHeader header, PayloadKind content)
    {
        var buffer = block.Buffer;
        var end = MessageBuffer.Headroom + buffer.Length;
        var start = WriteHead(buffer.Array, MessageBuffer.Headroom, header, default, content, block, block.Index);
        if (content.IsText)
        {
            FrameText.Write(buffer.Array.AsSpan(start..end), default, buffer);
            (start, end) = (end, MessageBuffer.Headroom + buffer.Length);
        }

        block.SetMessage(start, end);
    }

    /// <summary>Writes all of a frame's message before its block's data, with the earlier blocks that a subscriber lacks.</summary>
    /// <param name="buffer">Empty.</param>
    /// <param name="delivery">The frame, and the subscriber's own fields.</param>
    /// <param name="content">What was compressed.</param>
    /// <param name="block">The frame's.</param>
    /// <param name="first">The first block that the subscriber lacks; the block's own index for none.</param>
    /// <returns>What goes before the data; it stands in the buffer.</returns>
    public static ReadOnlyMemory<byte> WriteHead(MessageBuffer buffer, in Delivery delivery, PayloadKind content, GroupBlock block, int first)
    {
        var room = delivery.OwnFields.Length + BlockNumbers + Head;
        for (var index = first; index < block.Index; index++)
        {
            room += Head + block.Group[index].Data.Length;
        }

        buffer.GetSpan(room);
        var end = MessageBuffer.Headroom + room;
        var start = WriteHead(buffer.Array, end, delivery.Frame!.Header, delivery.OwnFields.Span, content, block, first);
        return buffer.Array.AsMemory(start..end);
    }

    private static int WriteHead(
        byte[] array, int end, in FrameHeader header, ReadOnlySpan<byte> own, PayloadKind content, GroupBlock block, int first)
    {
        var group = block.Group;
        var writer = new BackwardWriter(array, end);
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
        return FrameEnvelope.WriteBefore(
            array, writer.Start, end - writer.Start + block.Data.Length, header, own, content.Content, V1.Frame.BlockFieldNumber);
    }
}
