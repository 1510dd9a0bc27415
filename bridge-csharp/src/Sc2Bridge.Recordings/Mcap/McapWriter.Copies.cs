using System.IO.Hashing;

namespace Sc2Bridge.Recordings.Mcap;

// What copying a file needs: records that have their numbers, and chunks that are compressed already.
public sealed partial class McapWriter
{
    /// <summary>Adds a schema under the number that it has.</summary>
    internal void Add(Schema schema)
    {
        CheckOpen();
        new RecordWriter(_schemas).Write(schema);
        _chunk.Add(schema);
        _statistics = _statistics with { SchemaCount = checked((ushort)(_statistics.SchemaCount + 1)) };
    }

    /// <summary>Adds a channel under the number that it has.</summary>
    internal void Add(Channel channel)
    {
        CheckOpen();
        new RecordWriter(_channels).Write(channel);
        _chunk.Add(channel);
        _messageCounts[channel.Id] = 0;
        _statistics = _statistics with { ChannelCount = _statistics.ChannelCount + 1 };
    }

    /// <summary>
    /// Adds a chunk as it is; one that is open is closed first. What the records come to (times, CRC, message indexes)
    /// is taken from them and not from what it said of them.
    /// </summary>
    /// <param name="compression">How the records are compressed.</param>
    /// <param name="compressed">The records.</param>
    /// <param name="content">The same, decompressed; all channels were added before.</param>
    internal void Add(string compression, ReadOnlySpan<byte> compressed, LoadedChunk content)
    {
        CloseChunk();
        var (start, end, count) = content.Times();
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
            var messages = content.Of(channel);
            indexes.Write(channel, messages);
            _messageCounts[channel] += (ulong)messages.Length;
        }

        new RecordWriter(_chunkIndexes).Write(new ChunkIndex(
            start, end, offset, chunkLength, indexOffsets, (ulong)_record.Length, compression, head.CompressedSize,
            head.UncompressedSize));
        Append(_record.Written.Span);
        _statistics = Told(start, end, count) with { ChunkCount = _statistics.ChunkCount + 1 };
    }

    // The statistics with some more messages.
    private Statistics Told(ulong start, ulong end, ulong count) => count == 0 ? _statistics : _statistics with
    {
        MessageCount = _statistics.MessageCount + count,
        StartTime = _statistics.MessageCount == 0 ? start : Math.Min(_statistics.StartTime, start),
        EndTime = Math.Max(_statistics.EndTime, end),
    };
}
