using System.IO.Hashing;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Reads the places of a file whole: nothing of a chunk is given before all of it is checked. Not thread-safe.
/// </summary>
/// <param name="bytes">The file.</param>
/// <param name="channels">What is declared so far; what chunks declare is added.</param>
internal sealed class ChunkLoader(IRecordingBytes bytes, ChannelTable channels) : IDisposable
{
    // Enough for the first observation of each of several perspectives, compressed and not.
    private const int BeginningCompressed = 128 << 10;
    private const int Beginning = 512 << 10;

    private readonly ZstdChunks _zstd = new();
    private byte[] _compressed = [];

    /// <summary>
    /// Whether a chunk's CRC is checked where its zstd frame has a checksum too, which decompressing checks. The CRC
    /// takes as long as decompressing.
    /// </summary>
    public bool ChecksTwice { get; set; }

    /// <summary>Reads a place.</summary>
    /// <param name="place">Which.</param>
    /// <param name="target">What gets it; it must not be in use.</param>
    /// <exception cref="McapException">It is damaged, or in a form that is not read.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public void Load(ChunkPlace place, LoadedChunk target)
    {
        switch (place.Kind)
        {
            case PlaceKind.Run:
                bytes.Read(place.Offset, target.Begin((int)place.Length));
                Walk(target, place.Offset, isChunk: false);
                break;
            case PlaceKind.Chunk:
                var (head, start) = ReadHead(place);
                Fill(target, head, place.Offset, start);
                Walk(target, place.Offset, isChunk: true);
                break;
            default:
                throw place.Damage!;
        }
    }

    /// <summary>
    /// Reads the first records of a compressed chunk, in a tenth of the time of all. They have passed no check: they tell
    /// where to look, and nothing else.
    /// </summary>
    /// <returns>False if all of the place must be read.</returns>
    /// <exception cref="McapException">The chunk is damaged.</exception>
    public bool TryLoadBeginning(ChunkPlace place, LoadedChunk target)
    {
        if (place.Kind != PlaceKind.Chunk || ReadHead(place) is not ({ Compression: McapFormat.Zstd } head, var start)
            || head.UncompressedSize <= Beginning)
        {
            return false;
        }

        var compressed = Read(start, (int)Math.Min(head.CompressedSize, BeginningCompressed)).Span;
        target.Truncate(_zstd.Begin(compressed, target.Begin(Beginning), (long)head.UncompressedSize, place.Offset));
        Walk(target, place.Offset, isChunk: true, isWhole: false);
        return true;
    }

    /// <summary>Reads what stands before the records of a chunk, and holds it to what the summary says.</summary>
    /// <returns>It, and where in the file the records begin.</returns>
    /// <exception cref="McapException">It is damaged.</exception>
    public (ChunkHead Head, long RecordsStart) ReadHead(ChunkPlace place)
    {
        Span<byte> begin = stackalloc byte[(int)Math.Min(RecordReader.MostChunkHead, place.Length)];
        bytes.Read(place.Offset, begin);
        var record = RecordHead.Read(begin);
        if (record.Opcode != Opcode.Chunk
            || record.ContentLength != (ulong)(place.Length - McapFormat.RecordHeadLength))
        {
            throw new McapException("here is not the chunk that the summary tells of", place.Offset);
        }

        var fields = new RecordFields(begin[McapFormat.RecordHeadLength..], place.Offset + McapFormat.RecordHeadLength);
        var head = RecordReader.ChunkHead(ref fields);
        var start = McapFormat.RecordHeadLength + fields.Position;
        if (head.CompressedSize != (ulong)(place.Length - start))
        {
            // Less would be legal in a later version of the format; here it is a length that changed.
            throw new McapException("a chunk's records are not as long as the chunk", place.Offset);
        }

        if (Math.Max(head.UncompressedSize, head.CompressedSize) is > McapLimits.Chunk and var longest)
        {
            throw McapLimits.TooLong("a chunk", longest, McapLimits.Chunk, place.Offset);
        }

        if (place.Index is { } index
            && (index.StartTime, index.EndTime, index.Compression, index.CompressedSize, index.UncompressedSize)
            != (head.StartTime, head.EndTime, head.Compression, head.CompressedSize, head.UncompressedSize))
        {
            throw new McapException("a chunk is another than the summary tells of", place.Offset);
        }

        CheckCompression(head, place.Offset);
        return (head, place.Offset + start);
    }

    /// <summary>The records of a chunk as they stand in the file, until the next call.</summary>
    /// <returns>How they are compressed, and they.</returns>
    /// <exception cref="McapException">It is damaged.</exception>
    public (string Compression, ReadOnlyMemory<byte> Records) ReadCompressed(ChunkPlace place)
    {
        var (head, start) = ReadHead(place);
        return (head.Compression, Read(start, (int)head.CompressedSize));
    }

    /// <inheritdoc/>
    public void Dispose() => _zstd.Dispose();

    private ReadOnlyMemory<byte> Read(long start, int length)
    {
        ChunkMemory.Reserve(ref _compressed, length);
        bytes.Read(start, _compressed.AsSpan(0, length));
        return _compressed.AsMemory(0, length);
    }

    private static void CheckCompression(in ChunkHead head, long offset)
    {
        switch (head.Compression)
        {
            case "" when head.CompressedSize != head.UncompressedSize:
                throw new McapException("a chunk without compression tells two sizes", offset);
            case "" or McapFormat.Zstd:
                break;
            case "lz4":
                throw new McapException(
                    "a chunk is compressed with lz4",
                    offset,
                    "only zstd and none are read: write the file anew (mcap compress IN -o OUT --compression zstd)");
            default:
                throw new McapException($"a chunk is compressed with \"{head.Compression}\", which is nothing", offset);
        }
    }

    private void Fill(LoadedChunk target, in ChunkHead head, long offset, long start)
    {
        var isChecked = false;
        Span<byte> records;
        if (head.Compression.Length == 0)
        {
            records = target.Begin((int)head.UncompressedSize);
            bytes.Read(start, records);
        }
        else
        {
            var compressed = Read(start, (int)head.CompressedSize).Span;
            records = target.Begin((int)head.UncompressedSize);
            isChecked = _zstd.Decompress(compressed, records, offset);
        }

        if (head.UncompressedCrc != 0
            && (!isChecked || ChecksTwice)
            && Crc32.HashToUInt32(records) != head.UncompressedCrc)
        {
            throw new McapException("a chunk's records have another CRC than they should", offset);
        }
    }

    // Errors name the byte of the file in a run, and the first byte of a chunk. If only the beginning of a chunk was read,
    // nothing but messages is of use, and the last record may not be whole.
    private void Walk(LoadedChunk chunk, long offset, bool isChunk, bool isWhole = true)
    {
        var records = chunk.Records.Span;
        for (var at = 0; at < records.Length;)
        {
            var place = isChunk ? offset : offset + at;
            var content = at + McapFormat.RecordHeadLength;
            var head = content <= records.Length ? RecordHead.Read(records[at..]) : default;
            if (content > records.Length || head.ContentLength > (ulong)(records.Length - content))
            {
                if (!isWhole)
                {
                    return;
                }

                throw new McapException("the records of a chunk end within one", place);
            }

            var length = (int)head.ContentLength;
            if (head.Opcode is Opcode.Channel or Opcode.Schema && length > McapLimits.Record)
            {
                throw McapLimits.TooLong("a record", head.ContentLength, McapLimits.Record, place);
            }

            var fields = new RecordFields(records.Slice(content, length), place);
            switch (head.Opcode)
            {
                case Opcode.Message:
                    if (length - McapFormat.MessageHeadLength > McapLimits.Message)
                    {
                        throw McapLimits.TooLong("a message", (ulong)(length - McapFormat.MessageHeadLength), McapLimits.Message, place);
                    }

                    var message = RecordReader.MessageHead(fields);
                    if (isWhole && !channels.Knows(message.ChannelId))
                    {
                        throw new McapException($"a message is of the unknown channel {message.ChannelId}", place);
                    }

                    chunk.Add(message.ChannelId, at);
                    break;
                case Opcode.Channel when isWhole:
                    channels.Add(RecordReader.Channel(fields), place);
                    break;
                case Opcode.Schema when isWhole:
                    channels.Add(RecordReader.Schema(fields), place);
                    break;
                default:
                    if (isWhole && !head.IsUnknown)
                    {
                        throw new McapException($"a record {head.Opcode} does not belong into a chunk", place);
                    }

                    break;
            }

            at = content + length;
        }
    }
}
