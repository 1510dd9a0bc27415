using System.IO.Hashing;
using System.Runtime.InteropServices;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Writes chunks, each followed by its message indexes. Each record is compressed when it is added, into a zstd frame whose window covers
/// several observations. So closing a chunk is fast. Not thread-safe.
/// </summary>
internal sealed class ChunkWriter : IDisposable
{
    /// <summary>Base 2 logarithm of the zstd window in bytes: the smallest window of group zstd.</summary>
    public const int WindowLog = GroupLimits.LeastCompressorWindowLog;

    private readonly ZstdCompressor _zstd = new();
    private readonly MessageBuffer _recordBuffer = MessageBuffer.Rent();

    // The chunk's record. After Close, also the chunk's message indexes.
    private readonly MessageBuffer _chunkBytes = MessageBuffer.Rent();
    private readonly SortedDictionary<ushort, List<MessageIndexEntry>> _messages = [];
    private readonly Crc32 _crc = new();
    private ulong _size;
    private ulong _startTime;
    private ulong _endTime;
    private bool _hasMessages;

    /// <summary>The uncompressed size of the open chunk; 0 if no chunk is open.</summary>
    public ulong UncompressedSize => _size;

    /// <summary>The bytes of the closed chunk. Valid until the next record is added.</summary>
    public ReadOnlySpan<byte> ClosedBytes => _chunkBytes.Written.Span;

    public void Add(Schema schema)
    {
        NewRecord().Write(schema);
        Add(_recordBuffer.Written.Span);
    }

    public void Add(Channel channel)
    {
        NewRecord().Write(channel);
        Add(_recordBuffer.Written.Span);
    }

    public void Add(in MessageHead message, ReadOnlySpan<byte> data)
    {
        var offset = _size;
        NewRecord().Write(message, data.Length);
        Add(_recordBuffer.Written.Span);
        Add(data);
        if (!_messages.TryGetValue(message.ChannelId, out var entries))
        {
            _messages[message.ChannelId] = entries = [];
        }

        entries.Add(new MessageIndexEntry(message.LogTime, offset));
        _startTime = _hasMessages ? Math.Min(_startTime, message.LogTime) : message.LogTime;
        _endTime = Math.Max(_endTime, message.LogTime);
        _hasMessages = true;
    }

    /// <summary>Ends the chunk. The caller must write <see cref="ClosedBytes"/> at the end of the file.</summary>
    /// <param name="position">The end of the file.</param>
    /// <returns>The chunk's entry for the summary.</returns>
    public ChunkIndex Close(ulong position)
    {
        _zstd.End(_chunkBytes);
        var compressed = (ulong)(_chunkBytes.Length - RecordWriter.ChunkHeadLength);
        NewRecord().Write(
            new ChunkHead(_startTime, _endTime, _size, _crc.GetCurrentHashAsUInt32(), McapFormat.Zstd, compressed));
        _recordBuffer.Written.Span.CopyTo(_chunkBytes.Array.AsSpan(MessageBuffer.Headroom));

        var length = _chunkBytes.Length;
        var indexes = new Dictionary<ushort, ulong>();
        foreach (var (channel, entries) in _messages)
        {
            indexes[channel] = position + (ulong)_chunkBytes.Length;
            new RecordWriter(_chunkBytes).Write(channel, CollectionsMarshal.AsSpan(entries));
        }

        _messages.Clear();
        var closed = new ChunkIndex(
            _startTime, _endTime, position, (ulong)length, indexes, (ulong)(_chunkBytes.Length - length), McapFormat.Zstd,
            compressed, _size);
        (_size, _startTime, _endTime, _hasMessages) = (0, 0, 0, false);
        _crc.Reset();
        return closed;
    }

    public void Dispose()
    {
        _zstd.Dispose();
        _recordBuffer.Release();
        _chunkBytes.Release();
    }

    private RecordWriter NewRecord()
    {
        _recordBuffer.Clear();
        return new RecordWriter(_recordBuffer);
    }

    private void Add(ReadOnlySpan<byte> bytes)
    {
        if (_size == 0)
        {
            _zstd.Begin(WindowLog, checksum: true);
            _chunkBytes.Clear();
            _chunkBytes.GetSpan(RecordWriter.ChunkHeadLength);
            _chunkBytes.Advance(RecordWriter.ChunkHeadLength);
        }

        _crc.Append(bytes);
        _zstd.Add(bytes, _chunkBytes);
        _size += (ulong)bytes.Length;
    }
}
