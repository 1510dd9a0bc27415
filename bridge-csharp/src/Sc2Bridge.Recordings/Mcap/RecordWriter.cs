using System.Buffers.Binary;
using System.IO.Hashing;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Writes records at a buffer's end, each whole: opcode, length, fields in the order of https://mcap.dev/spec,
/// little-endian.
/// </summary>
internal readonly struct RecordWriter(MessageBuffer to)
{
    /// <summary>Bytes of a chunk's record before what it holds, where it is compressed with zstd.</summary>
    public static int ChunkHeadLength => McapFormat.RecordHeadLength + ChunkFieldsLength + McapFormat.Zstd.Length;

    private const int ChunkFieldsLength = (4 * sizeof(ulong)) + (2 * sizeof(uint));

    public void Write(Header header)
    {
        var record = Begin(Opcode.Header);
        Text(header.Profile);
        Text(header.Library);
        End(record);
    }

    public void Write(in Footer footer)
    {
        var record = Begin(Opcode.Footer);
        Number(footer.SummaryStart);
        Number(footer.SummaryOffsetStart);
        Number(footer.SummaryCrc);
        End(record);
    }

    public void Write(Schema schema)
    {
        var record = Begin(Opcode.Schema);
        Number(schema.Id);
        Text(schema.Name);
        Text(schema.Encoding);
        Number((uint)schema.Data.Length);
        Bytes(schema.Data.Span);
        End(record);
    }

    public void Write(Channel channel)
    {
        var record = Begin(Opcode.Channel);
        Number(channel.Id);
        Number(channel.SchemaId);
        Text(channel.Topic);
        Text(channel.MessageEncoding);
        Texts(channel.Metadata);
        End(record);
    }

    /// <summary>The record but for the message's data, which follows.</summary>
    public void Write(in MessageHead message, int dataLength)
    {
        Number((byte)Opcode.Message);
        Number((ulong)(McapFormat.MessageHeadLength + dataLength));
        Number(message.ChannelId);
        Number(message.Sequence);
        Number(message.LogTime);
        Number(message.PublishTime);
    }

    /// <summary>The record but for the compressed records, which follow.</summary>
    public void Write(in ChunkHead chunk)
    {
        Number((byte)Opcode.Chunk);
        Number((ulong)(ChunkFieldsLength + chunk.Compression.Length) + chunk.CompressedSize);
        Number(chunk.StartTime);
        Number(chunk.EndTime);
        Number(chunk.UncompressedSize);
        Number(chunk.UncompressedCrc);
        Text(chunk.Compression);
        Number(chunk.CompressedSize);
    }

    public void Write(ushort channelId, ReadOnlySpan<MessageIndexEntry> messages)
    {
        BeginIndex(channelId, messages.Length);
        foreach (var message in messages)
        {
            Number(message.LogTime);
            Number(message.Offset);
        }
    }

    /// <summary>The index of messages that are in a chunk already.</summary>
    public void Write(ushort channelId, ChunkMessages messages)
    {
        BeginIndex(channelId, messages.Length);
        foreach (var message in messages)
        {
            Number(message.LogTime);
            Number((ulong)message.RecordStart);
        }
    }

    public void Write(ChunkIndex chunk)
    {
        var record = Begin(Opcode.ChunkIndex);
        Number(chunk.StartTime);
        Number(chunk.EndTime);
        Number(chunk.ChunkOffset);
        Number(chunk.ChunkLength);
        Numbers(chunk.MessageIndexOffsets);
        Number(chunk.MessageIndexLength);
        Text(chunk.Compression);
        Number(chunk.CompressedSize);
        Number(chunk.UncompressedSize);
        End(record);
    }

    public void Write(Attachment attachment)
    {
        var record = Begin(Opcode.Attachment);
        var begin = to.Length;
        Number(attachment.LogTime);
        Number(attachment.CreateTime);
        Text(attachment.Name);
        Text(attachment.MediaType);
        Number((ulong)attachment.Data.Length);
        Bytes(attachment.Data.Span);
        Number(Crc32.HashToUInt32(to.Written.Span[begin..]));
        End(record);
    }

    public void Write(AttachmentIndex attachment)
    {
        var record = Begin(Opcode.AttachmentIndex);
        Number(attachment.Offset);
        Number(attachment.Length);
        Number(attachment.LogTime);
        Number(attachment.CreateTime);
        Number(attachment.DataSize);
        Text(attachment.Name);
        Text(attachment.MediaType);
        End(record);
    }

    public void Write(Metadata metadata)
    {
        var record = Begin(Opcode.Metadata);
        Text(metadata.Name);
        Texts(metadata.Texts);
        End(record);
    }

    public void Write(MetadataIndex metadata)
    {
        var record = Begin(Opcode.MetadataIndex);
        Number(metadata.Offset);
        Number(metadata.Length);
        Text(metadata.Name);
        End(record);
    }

    public void Write(in Statistics statistics)
    {
        var record = Begin(Opcode.Statistics);
        Number(statistics.MessageCount);
        Number(statistics.SchemaCount);
        Number(statistics.ChannelCount);
        Number(statistics.AttachmentCount);
        Number(statistics.MetadataCount);
        Number(statistics.ChunkCount);
        Number(statistics.StartTime);
        Number(statistics.EndTime);
        Numbers(statistics.ChannelMessageCounts);
        End(record);
    }

    public void Write(in SummaryOffset offset)
    {
        var record = Begin(Opcode.SummaryOffset);
        Number((byte)offset.Group);
        Number(offset.Start);
        Number(offset.Length);
        End(record);
    }

    public void Write(in DataEnd end)
    {
        var record = Begin(Opcode.DataEnd);
        Number(end.DataSectionCrc);
        End(record);
    }

    public void Bytes(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(to.GetSpan(bytes.Length));
        to.Advance(bytes.Length);
    }

    // The head of the record. Its entries follow.
    private void BeginIndex(ushort channelId, int messages)
    {
        var entries = messages * 2 * sizeof(ulong);
        Number((byte)Opcode.MessageIndex);
        Number((ulong)(sizeof(ushort) + sizeof(uint) + entries));
        Number(channelId);
        Number((uint)entries);
    }

    // Gives where the content begins.
    private int Begin(Opcode opcode)
    {
        Number((byte)opcode);
        Number(0UL);
        return to.Length;
    }

    private void End(int content) => BinaryPrimitives.WriteUInt64LittleEndian(
        to.Array.AsSpan(MessageBuffer.Headroom + content - sizeof(ulong)), (ulong)(to.Length - content));

    private int BeginArray()
    {
        Number(0U);
        return to.Length;
    }

    private void EndArray(int content) => BinaryPrimitives.WriteUInt32LittleEndian(
        to.Array.AsSpan(MessageBuffer.Headroom + content - sizeof(uint)), (uint)(to.Length - content));

    private void Texts(IReadOnlyDictionary<string, string> texts)
    {
        var map = BeginArray();
        foreach (var (name, text) in texts)
        {
            Text(name);
            Text(text);
        }

        EndArray(map);
    }

    private void Numbers(IReadOnlyDictionary<ushort, ulong> numbers)
    {
        var map = BeginArray();
        foreach (var (key, number) in numbers)
        {
            Number(key);
            Number(number);
        }

        EndArray(map);
    }

    private void Text(string text)
    {
        var begin = BeginArray();
        to.Advance(System.Text.Encoding.UTF8.GetBytes(text, to.GetSpan(System.Text.Encoding.UTF8.GetMaxByteCount(text.Length))));
        EndArray(begin);
    }

    private void Number(byte number)
    {
        to.GetSpan(sizeof(byte))[0] = number;
        to.Advance(sizeof(byte));
    }

    private void Number(ushort number)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(to.GetSpan(sizeof(ushort)), number);
        to.Advance(sizeof(ushort));
    }

    private void Number(uint number)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(to.GetSpan(sizeof(uint)), number);
        to.Advance(sizeof(uint));
    }

    private void Number(ulong number)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(to.GetSpan(sizeof(ulong)), number);
        to.Advance(sizeof(ulong));
    }
}
