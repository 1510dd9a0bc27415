using System.IO.Hashing;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Reads whole regions of a file and checks them. Only <see cref="TryLoadBeginning"/> reads a part of a chunk, without a check. Not thread-safe.
/// </summary>
/// <param name="bytes">The file.</param>
/// <param name="channels">The known schemas and channels. Loading a chunk adds the chunk's declarations.</param>
internal sealed class ChunkLoader(IRecordingBytes bytes, ChannelTable channels) : IDisposable
{
    // Both sizes are enough for the first observation of each of several perspectives.
    private const int CompressedBeginningBytes = 128 << 10;
    private const int BeginningBytes = 512 << 10;

    private readonly ZstdChunks _zstd = new();
    private byte[] _compressed = [];

    /// <summary>
    /// Whether to check the CRC of every chunk. By default, a chunk's CRC is skipped if its zstd frame has a checksum,
    /// because decompression checks that checksum. Checking the CRC takes as long as decompressing.
    /// </summary>
    public bool AlwaysChecksCrc { get; set; }

    /// <summary>Reads a region.</summary>
    /// <param name="region">The region.</param>
    /// <param name="target">The chunk that gets the records. Call it only while no reader uses the chunk.</param>
    /// <exception cref="McapException">The region is damaged, or its format is not supported.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public void Load(FileRegion region, LoadedChunk target)
    {
        switch (region.Kind)
        {
            case RegionKind.Run:
                bytes.Read(region.Offset, target.Begin((int)region.Length));
                ReadRecords(target, region.Offset, isChunk: false);
                break;
            case RegionKind.Chunk:
                var (head, start) = ReadHead(region);
                LoadRecords(target, head, region.Offset, start);
                ReadRecords(target, region.Offset, isChunk: true);
                break;
            default:
                throw region.Damage!;
        }
    }

    /// <summary>
    /// Reads the first records of a compressed chunk, in a tenth of the time for the whole chunk. The records are not
    /// checked, so use them only as hints for a search.
    /// </summary>
    /// <returns>False if the whole region must be read.</returns>
    /// <exception cref="McapException">The chunk is damaged.</exception>
    public bool TryLoadBeginning(FileRegion region, LoadedChunk target)
    {
        if (region.Kind != RegionKind.Chunk || ReadHead(region) is not ({ Compression: McapFormat.Zstd } head, var start)
            || head.UncompressedSize <= BeginningBytes)
        {
            return false;
        }

        var compressed = Read(start, (int)Math.Min(head.CompressedSize, CompressedBeginningBytes)).Span;
        target.Truncate(_zstd.Begin(compressed, target.Begin(BeginningBytes), (long)head.UncompressedSize, region.Offset));
        ReadRecords(target, region.Offset, isChunk: true, isWhole: false);
        return true;
    }

    /// <summary>Reads the fields before a chunk's records, and compares them with the summary.</summary>
    /// <returns>The fields, and the position of the records in the file.</returns>
    /// <exception cref="McapException">The chunk is damaged.</exception>
    public (ChunkHead Head, long RecordsStart) ReadHead(FileRegion region)
    {
        Span<byte> begin = stackalloc byte[(int)Math.Min(RecordReader.MostChunkHead, region.Length)];
        bytes.Read(region.Offset, begin);
        var record = RecordHead.Read(begin);
        if (record.Opcode != Opcode.Chunk
            || record.ContentLength != (ulong)(region.Length - McapFormat.RecordHeadLength))
        {
            throw new McapException("the chunk that the summary lists is not here", region.Offset);
        }

        var fields = new RecordFields(begin[McapFormat.RecordHeadLength..], region.Offset + McapFormat.RecordHeadLength);
        var head = RecordReader.ChunkHead(ref fields);
        var start = McapFormat.RecordHeadLength + fields.Position;
        if (head.CompressedSize != (ulong)(region.Length - start))
        {
            // A later version of the format could allow fields after the records. This version does not, so the length is damaged.
            throw new McapException("the length of a chunk's records does not match the length of the chunk", region.Offset);
        }

        if (Math.Max(head.UncompressedSize, head.CompressedSize) is > McapLimits.Chunk and var longest)
        {
            throw McapLimits.TooLong("a chunk", longest, McapLimits.Chunk, region.Offset);
        }

        if (region.Index is { } index
            && (index.StartTime, index.EndTime, index.Compression, index.CompressedSize, index.UncompressedSize)
            != (head.StartTime, head.EndTime, head.Compression, head.CompressedSize, head.UncompressedSize))
        {
            throw new McapException("a chunk differs from its entry in the summary", region.Offset);
        }

        CheckCompression(head, region.Offset);
        return (head, region.Offset + start);
    }

    /// <summary>The compressed records of a chunk. Valid until the next call.</summary>
    /// <returns>The compression, and the records.</returns>
    /// <exception cref="McapException">The chunk is damaged.</exception>
    public (string Compression, ReadOnlyMemory<byte> Records) ReadCompressed(FileRegion region)
    {
        var (head, start) = ReadHead(region);
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
                throw new McapException("an uncompressed chunk has two different sizes", offset);
            case "" or McapFormat.Zstd:
                break;
            case "lz4":
                throw new McapException(
                    "a chunk is compressed with lz4",
                    offset,
                    "only zstd and no compression are supported: convert the file (mcap compress IN -o OUT --compression zstd)");
            default:
                throw new McapException($"a chunk is compressed with \"{head.Compression}\", which is unknown", offset);
        }
    }

    private void LoadRecords(LoadedChunk target, in ChunkHead head, long offset, long start)
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
            && (!isChecked || AlwaysChecksCrc)
            && Crc32.HashToUInt32(records) != head.UncompressedCrc)
        {
            throw new McapException("a chunk's records have the wrong CRC", offset);
        }
    }

    // Errors in a run of records name the exact byte. Errors in a chunk name the chunk's first byte. If only the beginning of a chunk was read, only
    // its messages are used, and the last record may be incomplete.
    private void ReadRecords(LoadedChunk chunk, long offset, bool isChunk, bool isWhole = true)
    {
        var records = chunk.Records.Span;
        for (var at = 0; at < records.Length;)
        {
            var position = isChunk ? offset : offset + at;
            var content = at + McapFormat.RecordHeadLength;
            var head = content <= records.Length ? RecordHead.Read(records[at..]) : default;
            if (content > records.Length || head.ContentLength > (ulong)(records.Length - content))
            {
                if (!isWhole)
                {
                    return;
                }

                throw new McapException("the last record of a chunk is cut off", position);
            }

            var length = (int)head.ContentLength;
            if (head.Opcode is Opcode.Channel or Opcode.Schema && length > McapLimits.Record)
            {
                throw McapLimits.TooLong("a record", head.ContentLength, McapLimits.Record, position);
            }

            var fields = new RecordFields(records.Slice(content, length), position);
            switch (head.Opcode)
            {
                case Opcode.Message:
                    if (length - McapFormat.MessageHeadLength > McapLimits.Message)
                    {
                        throw McapLimits.TooLong("a message", (ulong)(length - McapFormat.MessageHeadLength), McapLimits.Message, position);
                    }

                    var message = RecordReader.MessageHead(fields);
                    if (isWhole && !channels.Knows(message.ChannelId))
                    {
                        throw new McapException($"a message has the unknown channel {message.ChannelId}", position);
                    }

                    chunk.Add(message.ChannelId, at);
                    break;
                case Opcode.Channel when isWhole:
                    channels.Add(RecordReader.Channel(fields), position);
                    break;
                case Opcode.Schema when isWhole:
                    channels.Add(RecordReader.Schema(fields), position);
                    break;
                default:
                    if (isWhole && !head.IsUnknown)
                    {
                        throw new McapException($"a record {head.Opcode} is not allowed in a chunk", position);
                    }

                    break;
            }

            at = content + length;
        }
    }
}
