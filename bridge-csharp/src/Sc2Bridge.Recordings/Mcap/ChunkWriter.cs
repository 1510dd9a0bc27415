using System.IO.Hashing;
using System.Runtime.InteropServices;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Makes one chunk after the other, each with its message indexes behind it. What is added is compressed at once into the
/// chunk's zstd frame, whose window reaches over several observations, so that closing a chunk takes no time. Not
/// thread-safe.
/// </summary>
internal sealed class ChunkWriter : IDisposable
{
    /// <summary>Base 2 logarithm of the zstd frame's window: as that of compressed groups.</summary>
    public const int WindowLog = GroupLimits.LeastWindowLog;

    private readonly ZstdCompressor _zstd = new();
    private readonly MessageBuffer _head = MessageBuffer.Rent();

    // The chunk's record and, once it is closed, its message indexes.
    private readonly MessageBuffer _bytes = MessageBuffer.Rent();
    private readonly SortedDictionary<ushort, List<MessageIndexEntry>> _messages = [];
    private readonly Crc32 _crc = new();
    private ulong _size;
    private ulong _startTime;
    private ulong _endTime;
    private bool _hasMessages;

    /// <summary>Bytes of the records in the chunk that is open, uncompressed; 0 where none is.</summary>
    public ulong Size => _size;

    /// <summary>What <see cref="Close"/> made, until something is added.</summary>
    public ReadOnlySpan<byte> Closed => _bytes.Written.Span;

    public void Add(Schema schema)
    {
        Record().Write(schema);
        Add(_head.Written.Span);
    }

    public void Add(Channel channel)
    {
        Record().Write(channel);
        Add(_head.Written.Span);
    }

    public void Add(in MessageHead message, ReadOnlySpan<byte> data)
    {
        var offset = _size;
        Record().Write(message, data.Length);
        Add(_head.Written.Span);
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

    /// <summary>Ends the chunk: <see cref="Closed"/> is to be written where the file ends.</summary>
    /// <param name="position">Where that is.</param>
    /// <returns>What is to be known of it.</returns>
    public ChunkIndex Close(ulong position)
    {
        _zstd.End(_bytes);
        var compressed = (ulong)(_bytes.Length - RecordWriter.ChunkHeadLength);
        Record().Write(
            new ChunkHead(_startTime, _endTime, _size, _crc.GetCurrentHashAsUInt32(), McapFormat.Zstd, compressed));
        _head.Written.Span.CopyTo(_bytes.Array.AsSpan(MessageBuffer.Headroom));

        var length = _bytes.Length;
        var indexes = new Dictionary<ushort, ulong>();
        foreach (var (channel, entries) in _messages)
        {
            indexes[channel] = position + (ulong)_bytes.Length;
            new RecordWriter(_bytes).Write(channel, CollectionsMarshal.AsSpan(entries));
        }

        _messages.Clear();
        var closed = new ChunkIndex(
            _startTime, _endTime, position, (ulong)length, indexes, (ulong)(_bytes.Length - length), McapFormat.Zstd,
            compressed, _size);
        (_size, _startTime, _endTime, _hasMessages) = (0, 0, 0, false);
        _crc.Reset();
        return closed;
    }

    public void Dispose()
    {
        _zstd.Dispose();
        _head.Release();
        _bytes.Release();
    }

    private RecordWriter Record()
    {
        _head.Clear();
        return new RecordWriter(_head);
    }

    private void Add(ReadOnlySpan<byte> bytes)
    {
        if (_size == 0)
        {
            _zstd.Begin(WindowLog, checksum: true);
            _bytes.Clear();
            _bytes.GetSpan(RecordWriter.ChunkHeadLength);
            _bytes.Advance(RecordWriter.ChunkHeadLength);
        }

        _crc.Append(bytes);
        _zstd.Add(bytes, _bytes);
        _size += (ulong)bytes.Length;
    }
}
