using System.IO.Hashing;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Writes an MCAP file (https://mcap.dev/spec): messages in zstd chunks, with every index and CRC that the format has.
/// What a sink was given up to the last closed chunk is a file that readers open, if not as quickly as one with a
/// summary. Not thread-safe.
/// </summary>
/// <remarks>Each closed chunk goes to the sink in one piece, with its message indexes.</remarks>
public sealed partial class McapWriter : IDisposable
{
    /// <summary>The uncompressed bytes at which a chunk is closed, where nothing else is said.</summary>
    public const int UsualChunkSize = 8 << 20;

    private readonly IByteSink _sink;
    private readonly ulong _chunkSize;
    private readonly ChunkWriter _chunk = new();
    private readonly MessageBuffer _record = MessageBuffer.Rent();

    // The summary's groups, as they will stand there.
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

    /// <summary>Begins a file: writes its magic and header.</summary>
    /// <param name="sink">Where it goes.</param>
    /// <param name="header">Its first record.</param>
    /// <param name="chunkSize">The uncompressed bytes at which a chunk is closed.</param>
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

    /// <summary>Bytes of the file so far: what the sink was given.</summary>
    public long Length { get; private set; }

    /// <summary>Chunks that were closed.</summary>
    public long ChunkCount => _statistics.ChunkCount;

    /// <summary>Uncompressed bytes of the chunk that is open, which the sink was not given yet; 0 where none is.</summary>
    public long OpenBytes => (long)_chunk.Size;

    /// <summary>Adds a schema; numbered from 1.</summary>
    /// <param name="name">In protobuf the message's full name.</param>
    /// <param name="encoding">As <see cref="McapFormat.Protobuf"/>.</param>
    /// <param name="data">In protobuf a <c>FileDescriptorSet</c> with everything that is imported.</param>
    /// <returns>Its number.</returns>
    public ushort AddSchema(string name, string encoding, ReadOnlyMemory<byte> data)
    {
        var schema = new Schema(checked((ushort)(_statistics.SchemaCount + 1)), name, encoding, data);
        Add(schema);
        return schema.Id;
    }

    /// <summary>Adds a channel; numbered from 1.</summary>
    /// <param name="schemaId">What <see cref="AddSchema"/> gave.</param>
    /// <param name="topic">Its name.</param>
    /// <param name="messageEncoding">As <see cref="McapFormat.Protobuf"/>.</param>
    /// <param name="metadata">Named texts.</param>
    /// <returns>Its number.</returns>
    public ushort AddChannel(
        ushort schemaId, string topic, string messageEncoding, IReadOnlyDictionary<string, string> metadata)
    {
        var id = checked((ushort)(_statistics.ChannelCount + 1));
        Add(new Channel(id, schemaId, topic, messageEncoding, metadata));
        return id;
    }

    /// <summary>Adds an attachment; a chunk that is open is closed first, as attachments stand outside.</summary>
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

    /// <summary>Adds named texts; a chunk that is open is closed first.</summary>
    internal void Add(Metadata metadata)
    {
        CloseChunk();
        NewRecord().Write(metadata);
        new RecordWriter(_metadataIndexes).Write(
            new MetadataIndex((ulong)Length, (ulong)_record.Length, metadata.Name));
        Append(_record.Written.Span);
        _statistics = _statistics with { MetadataCount = _statistics.MetadataCount + 1 };
    }

    /// <summary>Adds a message; the chunk is closed where it has come to its size.</summary>
    /// <param name="message">What stands before the data; its channel was added before.</param>
    /// <param name="data">Used during the call only.</param>
    public void Add(in MessageHead message, ReadOnlySpan<byte> data)
    {
        CheckOpen();
        if (!_messageCounts.TryGetValue(message.ChannelId, out var count))
        {
            throw new ArgumentException($"There is no channel {message.ChannelId}: add it first.", nameof(message));
        }

        _chunk.Add(message, data);
        _messageCounts[message.ChannelId] = count + 1;
        _statistics = Told(message.LogTime, message.LogTime, 1);
        if (_chunk.Size >= _chunkSize)
        {
            CloseChunk();
        }
    }

    /// <summary>Hands the open chunk to the sink, where there is one.</summary>
    public void CloseChunk()
    {
        CheckOpen();
        if (OpenBytes == 0)
        {
            return;
        }

        var index = _chunk.Close((ulong)Length);
        new RecordWriter(_chunkIndexes).Write(index);
        Append(_chunk.Closed);
        _statistics = _statistics with { ChunkCount = _statistics.ChunkCount + 1 };
    }

    /// <summary>Closes the chunk and writes the summary; nothing can be added any more.</summary>
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

        // The footer's CRC is of all before it in the summary and in the footer itself.
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

    /// <summary>Frees what it holds; the file stays as it is, with no summary where it was not finished.</summary>
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
            throw new InvalidOperationException("The file is finished.");
        }
    }
}
