using System.IO.Hashing;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Writes an MCAP file (https://mcap.dev/spec): messages in zstd chunks, with all indexes and CRCs of the format. If the process ends
/// early, readers can open the file up to the last closed chunk, but more slowly than a file with a summary. Not thread-safe.
/// </summary>
/// <remarks>Each closed chunk and its message indexes are passed to the sink in one call.</remarks>
public sealed partial class McapWriter : IDisposable
{
    /// <summary>The default of the uncompressed size at which a chunk is closed.</summary>
    public const int UsualChunkSize = 8 << 20;

    private readonly IByteSink _sink;
    private readonly ulong _chunkSize;
    private readonly ChunkWriter _chunk = new();
    private readonly MessageBuffer _record = MessageBuffer.Rent();

    // The records of the summary, already serialized, one buffer for each kind.
    private readonly MessageBuffer _schemas = MessageBuffer.Rent();
    private readonly MessageBuffer _channels = MessageBuffer.Rent();
    private readonly MessageBuffer _chunkIndexes = MessageBuffer.Rent();
    private readonly MessageBuffer _attachmentIndexes = MessageBuffer.Rent();
    private readonly MessageBuffer _metadataIndexes = MessageBuffer.Rent();
    private readonly SortedDictionary<ushort, ulong> _messageCounts = [];
    private Statistics _statistics = new(0, 0, 0, 0, 0, 0, 0, 0, new Dictionary<ushort, ulong>());
    private readonly Crc32 _crc = new();
    private bool _finished;
    private bool _disposed;

    /// <summary>Starts a file: writes its magic and header.</summary>
    /// <param name="sink">Receives the file.</param>
    /// <param name="header">The file's first record.</param>
    /// <param name="chunkSize">The uncompressed size at which a chunk is closed.</param>
    public McapWriter(IByteSink sink, Header header, int chunkSize = UsualChunkSize)
    {
        ArgumentNullException.ThrowIfNull(sink);
        ArgumentNullException.ThrowIfNull(header);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(chunkSize);
        _sink = sink;
        _chunkSize = (ulong)chunkSize;
        var record = NewRecord();
        record.Bytes(McapFormat.Magic);
        record.Write(header);
        Append(_record.Written.Span);
    }

    /// <summary>The size of the file so far, without the open chunk.</summary>
    public long Length { get; private set; }

    /// <summary>The number of closed chunks.</summary>
    public long ChunkCount => _statistics.ChunkCount;

    /// <summary>The uncompressed size of the open chunk, which was not passed to the sink yet; 0 if no chunk is open.</summary>
    public long OpenBytes => (long)_chunk.UncompressedSize;

    /// <summary>Adds a schema. Numbers start at 1.</summary>
    /// <param name="name">For protobuf: the message's full name.</param>
    /// <param name="encoding">The schema's encoding, such as <see cref="McapFormat.Protobuf"/>.</param>
    /// <param name="data">For protobuf: a <c>FileDescriptorSet</c> with all imported files.</param>
    /// <returns>The schema's number.</returns>
    public ushort AddSchema(string name, string encoding, ReadOnlyMemory<byte> data)
    {
        var schema = new Schema(checked((ushort)(_statistics.SchemaCount + 1)), name, encoding, data);
        Add(schema);
        return schema.Id;
    }

    /// <summary>Adds a channel. Numbers start at 1.</summary>
    /// <param name="schemaId">The number from <see cref="AddSchema"/>.</param>
    /// <param name="topic">The topic.</param>
    /// <param name="messageEncoding">The messages' encoding, such as <see cref="McapFormat.Protobuf"/>.</param>
    /// <param name="metadata">Names and values.</param>
    /// <returns>The channel's number.</returns>
    public ushort AddChannel(
        ushort schemaId, string topic, string messageEncoding, IReadOnlyDictionary<string, string> metadata)
    {
        var id = checked((ushort)(_statistics.ChannelCount + 1));
        Add(new Channel(id, schemaId, topic, messageEncoding, metadata));
        return id;
    }

    /// <summary>Adds an attachment. An open chunk is closed first, because attachments are outside of chunks.</summary>
    internal void Add(Attachment attachment)
    {
        CloseChunk();
        NewRecord().Write(attachment);
        new RecordWriter(_attachmentIndexes).Write(new AttachmentIndex(
            (ulong)Length, (ulong)_record.Length, attachment.LogTime, attachment.CreateTime,
            (ulong)attachment.Data.Length, attachment.Name, attachment.MediaType));
        Append(_record.Written.Span);
        _statistics = _statistics with { AttachmentCount = _statistics.AttachmentCount + 1 };
    }

    /// <summary>Adds names and values. An open chunk is closed first.</summary>
    internal void Add(Metadata metadata)
    {
        CloseChunk();
        NewRecord().Write(metadata);
        new RecordWriter(_metadataIndexes).Write(
            new MetadataIndex((ulong)Length, (ulong)_record.Length, metadata.Name));
        Append(_record.Written.Span);
        _statistics = _statistics with { MetadataCount = _statistics.MetadataCount + 1 };
    }

    /// <summary>Adds a message. Closes the chunk if it is full.</summary>
    /// <param name="message">The message's head. Its channel must have been added.</param>
    /// <param name="data">The message. It is used during the call only.</param>
    public void Add(in MessageHead message, ReadOnlySpan<byte> data)
    {
        CheckOpen();
        if (!_messageCounts.TryGetValue(message.ChannelId, out var count))
        {
            throw new ArgumentException($"Channel {message.ChannelId} does not exist: add it first.", nameof(message));
        }

        _chunk.Add(message, data);
        _messageCounts[message.ChannelId] = count + 1;
        _statistics = StatisticsWith(message.LogTime, message.LogTime, 1);
        if (_chunk.UncompressedSize >= _chunkSize)
        {
            CloseChunk();
        }
    }

    /// <summary>Closes the open chunk, if there is one, and passes it to the sink.</summary>
    public void CloseChunk()
    {
        CheckOpen();
        if (OpenBytes == 0)
        {
            return;
        }

        var index = _chunk.Close((ulong)Length);
        new RecordWriter(_chunkIndexes).Write(index);
        Append(_chunk.ClosedBytes);
        _statistics = _statistics with { ChunkCount = _statistics.ChunkCount + 1 };
    }

    /// <summary>Closes the chunk and writes the summary. Nothing can be added afterwards.</summary>
    public void Finish()
    {
        CloseChunk();
        _finished = true;
        var end = NewRecord();
        end.Write(new DataEnd(_crc.GetCurrentHashAsUInt32()));
        var position = (ulong)Length;
        var summaryStart = _record.Length;
        var offsets = new List<SummaryOffset>();
        AddGroup(Opcode.Schema, _schemas);
        AddGroup(Opcode.Channel, _channels);
        var statistics = _record.Length;
        end.Write(_statistics with { ChannelMessageCounts = _messageCounts });
        AddOffset(Opcode.Statistics, statistics);
        AddGroup(Opcode.ChunkIndex, _chunkIndexes);
        AddGroup(Opcode.AttachmentIndex, _attachmentIndexes);
        AddGroup(Opcode.MetadataIndex, _metadataIndexes);
        var offsetStart = _record.Length;
        foreach (var offset in offsets)
        {
            end.Write(offset);
        }

        // The footer's CRC covers the summary and the footer's fields before the CRC.
        var footer = new Footer(position + (ulong)summaryStart, position + (ulong)offsetStart, 0);
        var footerStart = _record.Length;
        end.Write(footer);
        var summary = _record.Written.Span[summaryStart..^sizeof(uint)];
        var crc = Crc32.HashToUInt32(summary);
        _record.Truncate(footerStart);
        end.Write(footer with { SummaryCrc = crc });
        end.Bytes(McapFormat.Magic);
        Append(_record.Written.Span);

        void AddGroup(Opcode group, MessageBuffer records)
        {
            var start = _record.Length;
            end.Bytes(records.Written.Span);
            AddOffset(group, start);
        }

        void AddOffset(Opcode group, int start)
        {
            if (_record.Length > start)
            {
                offsets.Add(new SummaryOffset(group, position + (ulong)start, (ulong)(_record.Length - start)));
            }
        }
    }

    /// <summary>Frees the memory. Without <see cref="Finish"/>, the file has no summary.</summary>
    public void Dispose()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        _chunk.Dispose();
        foreach (var buffer in new[]
            { _record, _schemas, _channels, _chunkIndexes, _attachmentIndexes, _metadataIndexes })
        {
            buffer.Release();
        }
    }

    private RecordWriter NewRecord()
    {
        _record.Clear();
        return new RecordWriter(_record);
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        _crc.Append(bytes);
        _sink.Append(bytes);
        Length += bytes.Length;
    }

    private void CheckOpen()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_finished)
        {
            throw new InvalidOperationException("The file is finished: create another writer.");
        }
    }
}
