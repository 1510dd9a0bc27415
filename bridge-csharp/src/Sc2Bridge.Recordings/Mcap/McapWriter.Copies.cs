using System.IO.Hashing;

namespace Sc2Bridge.Recordings.Mcap;

// Methods for copying files: they add schemas and channels with their old numbers, and chunks that stay compressed.
public sealed partial class McapWriter
{
    /// <summary>Adds a schema and keeps its number.</summary>
    internal void Add(Schema schema)
    {
        CheckOpen();
        new RecordWriter(_schemas).Write(schema);
        _chunk.Add(schema);
        _statistics = _statistics with { SchemaCount = checked((ushort)(_statistics.SchemaCount + 1)) };
    }

    /// <summary>Adds a channel and keeps its number.</summary>
    internal void Add(Channel channel)
    {
        CheckOpen();
        new RecordWriter(_channels).Write(channel);
        _chunk.Add(channel);
        _messageCounts[channel.Id] = 0;
        _statistics = _statistics with { ChannelCount = _statistics.ChannelCount + 1 };
    }

    /// <summary>
    /// Adds a compressed chunk unchanged. An open chunk is closed first. The times, the CRC and the message indexes are computed from the
    /// records and not copied.
    /// </summary>
    /// <param name="compression">The compression of the records.</param>
    /// <param name="compressed">The compressed records.</param>
    /// <param name="content">The decompressed records. All their channels must have been added.</param>
    internal void Add(string compression, ReadOnlySpan<byte> compressed, LoadedChunk content)
    {
        CloseChunk();
        var (start, end, count) = content.TimesAndCount();
        var head = new ChunkHead(
            start, end, (ulong)content.Length, Crc32.HashToUInt32(content.Records.Span), compression,
            (ulong)compressed.Length);
        var (offset, indexOffsets) = ((ulong)Length, new Dictionary<ushort, ulong>());
        NewRecord().Write(head);
        var chunkLength = (ulong)(_record.Length + compressed.Length);
        Append(_record.Written.Span);
        Append(compressed);
        var indexes = NewRecord();
        foreach (var channel in content.Channels.Order())
        {
            indexOffsets[channel] = (ulong)(Length + _record.Length);
            var messages = content.MessagesOf(channel);
            indexes.Write(channel, messages);
            _messageCounts[channel] += (ulong)messages.Length;
        }

        new RecordWriter(_chunkIndexes).Write(new ChunkIndex(
            start, end, offset, chunkLength, indexOffsets, (ulong)_record.Length, compression, head.CompressedSize,
            head.UncompressedSize));
        Append(_record.Written.Span);
        _statistics = StatisticsWith(start, end, count) with { ChunkCount = _statistics.ChunkCount + 1 };
    }

    // The statistics after adding some messages.
    private Statistics StatisticsWith(ulong start, ulong end, ulong count) => count == 0 ? _statistics : _statistics with
    {
        MessageCount = _statistics.MessageCount + count,
        StartTime = _statistics.MessageCount == 0 ? start : Math.Min(_statistics.StartTime, start),
        EndTime = Math.Max(_statistics.EndTime, end),
    };
}
