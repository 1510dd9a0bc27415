using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>Writes the messages that contain a block of group zstd.</summary>
internal static class BlockMessage
{
    // The maximum size of a block's numbers: group, index, window, size.
    private const int MostNumberBytes = 11 + 6 + 6 + 6;

    // The maximum size of a data field's tag and length, and of the field's entry in the list of sizes.
    private const int MostHeadBytes = 2 + 5 + 5;

    /// <summary>Writes the message for subscribers that have all earlier blocks of the group.</summary>
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

    /// <summary>Writes a frame's message up to the block's data, with the earlier blocks that the subscriber lacks.</summary>
    /// <param name="buffer">An empty buffer.</param>
    /// <param name="delivery">The frame, and the subscriber's own fields.</param>
    /// <param name="content">The compressed content.</param>
    /// <param name="block">The frame's block.</param>
    /// <param name="first">The index of the first block that the subscriber lacks; the block's own index if no block is missing.</param>
    /// <returns>The part of the buffer that contains the message up to the data.</returns>
    public static ReadOnlyMemory<byte> WriteHead(MessageBuffer buffer, in Delivery delivery, PayloadKind content, GroupBlock block, int first)
    {
        var room = delivery.OwnFields.Length + MostNumberBytes + MostHeadBytes;
        for (var index = first; index < block.Index; index++)
        {
            room += MostHeadBytes + block.Group[index].Data.Length;
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
        writer.WriteTagAndLength(V1.Block.DataFieldNumber, block.Data.Length);
        for (var index = block.Index - 1; index >= first; index--)
        {
            writer.WriteBytes(V1.Block.EarlierFieldNumber, group[index].Data.Span);
        }

        var sizesEnd = writer.Start;
        for (var index = block.Index - 1; index >= first; index--)
        {
            writer.WriteVarint((uint)group[index].Size);
        }

        if (first < block.Index)
        {
            writer.WriteTagAndLength(V1.Block.EarlierSizesFieldNumber, sizesEnd - writer.Start);
        }

        writer.WriteNumber(V1.Block.SizeFieldNumber, (uint)block.Size);
        writer.WriteNumber(V1.Block.WindowLogFieldNumber, (uint)group.WindowLog);
        writer.WriteNumber(V1.Block.IndexFieldNumber, (uint)block.Index);
        writer.WriteNumber(V1.Block.GroupFieldNumber, group.Number);
        return EnvelopeWriter.WriteBefore(
            array, writer.Start, end - writer.Start + block.Data.Length, header, own, content.Content, V1.Frame.BlockFieldNumber);
    }
}
