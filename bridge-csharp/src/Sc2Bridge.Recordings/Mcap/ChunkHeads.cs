namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Looks into chunks as far as the first message of a channel, which takes a tenth of the time of all. What is seen so
/// has passed no check: it tells where to look, and nothing else. Not thread-safe.
/// </summary>
/// <param name="bytes">The file.</param>
/// <param name="loader">Reads what stands before a chunk's records.</param>
internal sealed class ChunkHeads(IRecordingBytes bytes, ChunkLoader loader) : IDisposable
{
    private const int Piece = 32 << 10;

    // A block of zstd, which is decompressed as a whole.
    private const int Block = 128 << 10;

    private readonly ZstdChunks _zstd = new();
    private readonly byte[] _piece = new byte[Piece];
    private byte[] _records = new byte[2 * Block];

    // Of the chunk that is looked into.
    private int _filled;
    private int _size;
    private long _offset;
    private long _next;
    private long _end;
    private int _pieceAt;
    private int _pieceEnd;
    private bool _isCompressed;

    /// <summary>Finds the first message of a channel at a place.</summary>
    /// <param name="place">Where.</param>
    /// <param name="channel">Whose.</param>
    /// <param name="withData">Whether the message's data is wanted.</param>
    /// <param name="head">What stands before it.</param>
    /// <param name="data">Its data where that is wanted; until the next call.</param>
    /// <returns>False where the channel has none there.</returns>
    /// <exception cref="McapException">The place is damaged.</exception>
    public bool TryFirst(
        ChunkPlace place, ushort channel, bool withData, out MessageHead head, out ReadOnlyMemory<byte> data)
    {
        Begin(place);
        for (long at = 0; at < _size;)
        {
            var content = at + McapFormat.RecordHeadLength;
            FillTo(content);
            var record = RecordHead.Read(_records.AsSpan((int)at));
            if (record.ContentLength > (ulong)(_size - content))
            {
                throw new McapException("the records of a chunk end within one", _offset);
            }

            var length = (int)record.ContentLength;
            if (record.Opcode == Opcode.Message)
            {
                FillTo(content + McapFormat.MessageHeadLength);

                // No more of it is there yet than this.
                var there = Math.Min(length, McapFormat.MessageHeadLength);
                head = RecordReader.MessageHead(new RecordFields(_records.AsSpan((int)content, there), _offset));
                if (head.ChannelId == channel)
                {
                    FillTo(withData ? content + length : 0);
                    data = _records.AsMemory(
                        (int)content + McapFormat.MessageHeadLength,
                        withData ? length - McapFormat.MessageHeadLength : 0);
                    return true;
                }
            }

            at = content + length;
        }

        (head, data) = (default, default);
        return false;
    }

    /// <inheritdoc/>
    public void Dispose() => _zstd.Dispose();

    private void Begin(ChunkPlace place)
    {
        (_filled, _offset, _isCompressed) = (0, place.Offset, false);
        switch (place.Kind)
        {
            case PlaceKind.Run:
                (_next, _size) = (place.Offset, (int)place.Length);
                break;
            case PlaceKind.Chunk:
                var (head, start) = loader.ReadHead(place);
                (_next, _size) = (start, (int)head.UncompressedSize);
                _isCompressed = head.Compression.Length > 0;
                break;
            default:
                throw place.Damage!;
        }

        if (_isCompressed)
        {
            (_pieceAt, _pieceEnd, _end) = (0, 0, place.Offset + place.Length);
            _zstd.Begin(_size);
        }
    }

    private void FillTo(long wanted)
    {
        if (wanted <= _filled)
        {
            return;
        }

        if (wanted > _size)
        {
            throw new McapException("the records of a chunk end within one", _offset);
        }

        // Twice as much each time, so that a message far behind is not filled to in steps.
        var target = (int)Math.Min(_size, Math.Max(wanted + Block, 2L * _filled));
        if (_records.Length < target)
        {
            Array.Resize(ref _records, target);
        }

        while (_filled < wanted)
        {
            _filled += _isCompressed ? Decompress(target) : Copy(target);
        }
    }

    private int Copy(int target)
    {
        bytes.Read(_next, _records.AsSpan(_filled, target - _filled));
        _next += target - _filled;
        return target - _filled;
    }

    private int Decompress(int target)
    {
        if (_pieceAt == _pieceEnd)
        {
            _pieceEnd = (int)Math.Min(Piece, _end - _next);
            bytes.Read(_next, _piece.AsSpan(0, _pieceEnd));
            _next += _pieceEnd;
            _pieceAt = 0;
        }

        var (read, made) = _zstd.Next(
            _piece.AsSpan(_pieceAt, _pieceEnd - _pieceAt), _records.AsSpan(_filled, target - _filled), _offset);
        _pieceAt += read;
        return read + made > 0 ? made : throw new McapException("a chunk's records end before they should", _offset);
    }
}
