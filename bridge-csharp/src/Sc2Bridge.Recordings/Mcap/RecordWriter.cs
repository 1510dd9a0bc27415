using System.Buffers.Binary;
using System.IO.Hashing;
using System.Text;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Appends complete records to a buffer: opcode, length, and the fields in the order of https://mcap.dev/spec, little-endian.
/// </summary>
internal readonly struct RecordWriter(MessageBuffer to)
{
    /// <summary>The size of a chunk record with zstd, without its compressed records.</summary>
    public static int ChunkHeadLength => McapFormat.RecordHeadLength + ChunkFieldsLength + McapFormat.Zstd.Length;

    private const int ChunkFieldsLength = (4 * sizeof(ulong)) + (2 * sizeof(uint));

    public void Write(Header header) => Record(Opcode.Header, header.Profile, header.Library);

    public void Write(in Footer footer) =>
        Record(Opcode.Footer, footer.SummaryStart, footer.SummaryOffsetStart, footer.SummaryCrc);

    public void Write(Schema schema)
    {
        var content = Begin(Opcode.Schema);
        Fields(schema.Id, schema.Name, schema.Encoding, (uint)schema.Data.Length);
        Bytes(schema.Data.Span);
        End(content);
    }

    public void Write(Channel channel) => Record(
        Opcode.Channel, channel.Id, channel.SchemaId, channel.Topic, channel.MessageEncoding, RecordField.Map(channel.Metadata));

    /// <summary>Writes a message record without its data. The caller writes the data.</summary>
    public void Write(in MessageHead message, int dataLength)
    {
        Number((byte)Opcode.Message, sizeof(byte));
        Number((ulong)(McapFormat.MessageHeadLength + dataLength));
        Number(message.ChannelId, sizeof(ushort));
        Number(message.Sequence, sizeof(uint));
        Number(message.LogTime);
        Number(message.PublishTime);
    }

    /// <summary>Writes a chunk record without its compressed records. The caller writes them.</summary>
    public void Write(in ChunkHead chunk) => Fields(
        (byte)Opcode.Chunk, (ulong)(ChunkFieldsLength + chunk.Compression.Length) + chunk.CompressedSize,
        chunk.StartTime, chunk.EndTime, chunk.UncompressedSize, chunk.UncompressedCrc, chunk.Compression,
        chunk.CompressedSize);

    public void Write(ushort channelId, ReadOnlySpan<MessageIndexEntry> messages)
    {
        BeginIndex(channelId, messages.Length);
        foreach (var message in messages)
        {
            Number(message.LogTime);
            Number(message.Offset);
        }
    }

    /// <summary>Writes the index of messages in a loaded chunk.</summary>
    public void Write(ushort channelId, ChunkMessages messages)
    {
        BeginIndex(channelId, messages.Length);
        foreach (var message in messages)
        {
            Number(message.LogTime);
            Number((ulong)message.RecordStart);
        }
    }

    public void Write(ChunkIndex chunk) => Record(
        Opcode.ChunkIndex, chunk.StartTime, chunk.EndTime, chunk.ChunkOffset, chunk.ChunkLength,
        RecordField.Map(chunk.MessageIndexOffsets), chunk.MessageIndexLength, chunk.Compression, chunk.CompressedSize,
        chunk.UncompressedSize);

    public void Write(Attachment attachment)
    {
        var content = Begin(Opcode.Attachment);
        Fields(
            attachment.LogTime, attachment.CreateTime, attachment.Name, attachment.MediaType, (ulong)attachment.Data.Length);
        Bytes(attachment.Data.Span);
        Number(Crc32.HashToUInt32(to.Written.Span[content..]), sizeof(uint));
        End(content);
    }

    public void Write(AttachmentIndex attachment) => Record(
        Opcode.AttachmentIndex, attachment.Offset, attachment.Length, attachment.LogTime, attachment.CreateTime,
        attachment.DataSize, attachment.Name, attachment.MediaType);

    public void Write(Metadata metadata) => Record(Opcode.Metadata, metadata.Name, RecordField.Map(metadata.Texts));

    public void Write(MetadataIndex metadata) =>
        Record(Opcode.MetadataIndex, metadata.Offset, metadata.Length, metadata.Name);

    public void Write(in Statistics statistics) => Record(
        Opcode.Statistics, statistics.MessageCount, statistics.SchemaCount, statistics.ChannelCount,
        statistics.AttachmentCount, statistics.MetadataCount, statistics.ChunkCount, statistics.StartTime,
        statistics.EndTime, RecordField.Map(statistics.ChannelMessageCounts));

    public void Write(in SummaryOffset offset) =>
        Record(Opcode.SummaryOffset, (byte)offset.Group, offset.Start, offset.Length);

    public void Write(in DataEnd end) => Record(Opcode.DataEnd, end.DataSectionCrc);

    public void Bytes(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(to.GetSpan(bytes.Length));
        to.Advance(bytes.Length);
    }

    // Writes the head of a message index. The caller writes the entries.
    private void BeginIndex(ushort channelId, int messages)
    {
        var entries = messages * 2 * sizeof(ulong);
        Fields(
            (byte)Opcode.MessageIndex, (ulong)(sizeof(ushort) + sizeof(uint) + entries), channelId, (uint)entries);
    }

    private void Record(Opcode opcode, params ReadOnlySpan<RecordField> fields)
    {
        var content = Begin(opcode);
        Fields(fields);
        End(content);
    }

    private void Fields(params ReadOnlySpan<RecordField> fields)
    {
        foreach (var field in fields)
        {
            Field(field);
        }
    }

    private void Field(RecordField field)
    {
        if (field.Content is null)
        {
            Number(field.Number, field.Width);
            return;
        }

        Number(0, sizeof(uint));
        var content = to.Length;
        switch (field.Content)
        {
            case string text:
                to.Advance(Encoding.UTF8.GetBytes(text, to.GetSpan(Encoding.UTF8.GetMaxByteCount(text.Length))));
                break;
            case IReadOnlyDictionary<string, string> texts:
                foreach (var (name, text) in texts)
                {
                    Fields(name, text);
                }

                break;
            case IReadOnlyDictionary<ushort, ulong> numbers:
                foreach (var (key, number) in numbers)
                {
                    Fields(key, number);
                }

                break;
        }

        BinaryPrimitives.WriteUInt32LittleEndian(At(content - sizeof(uint)), (uint)(to.Length - content));
    }

    // Returns the start of the content.
    private int Begin(Opcode opcode)
    {
        Fields((byte)opcode, 0UL);
        return to.Length;
    }

    private void End(int content) =>
        BinaryPrimitives.WriteUInt64LittleEndian(At(content - sizeof(ulong)), (ulong)(to.Length - content));

    private Span<byte> At(int position) => to.Array.AsSpan(MessageBuffer.Headroom + position);

    // Writes the low bytes of a number. The span has eight bytes, because WriteUInt64LittleEndian always writes eight.
    private void Number(ulong number, int width = sizeof(ulong))
    {
        BinaryPrimitives.WriteUInt64LittleEndian(to.GetSpan(sizeof(ulong)), number);
        to.Advance(width);
    }
}
