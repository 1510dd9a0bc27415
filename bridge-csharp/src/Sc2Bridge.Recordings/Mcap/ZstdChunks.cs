using System.Numerics;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Zstd;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Decompresses chunks, whole or from their beginning. Not thread-safe.
/// </summary>
internal sealed class ZstdChunks : IDisposable
{
    // Of a zstd frame: its magic number, and in the next byte the bit that tells of a checksum (RFC 8878, 3.1.1).
    private const int DescriptorAt = 4;
    private const int ChecksumBit = 1 << 2;

    // What every decoder takes (RFC 8878, 3.1.1.1.2).
    private const int LeastWindowLog = 23;

    private readonly ZstdDecompressor _zstd = new();

    /// <summary>Decompresses all records of a chunk.</summary>
    /// <param name="compressed">The chunk's records.</param>
    /// <param name="records">Gets them: as long as the chunk says.</param>
    /// <param name="offset">Of the chunk, for errors.</param>
    /// <returns>Whether zstd had a checksum of them.</returns>
    public bool Decompress(ReadOnlySpan<byte> compressed, Span<byte> records, long offset)
    {
        try
        {
            var made = _zstd.Decompress(compressed, records);
            if (made != records.Length)
            {
                throw new McapException($"a chunk holds {made} bytes and tells of {records.Length}", offset);
            }
        }
        catch (EncodingException damage)
        {
            throw Damaged(damage, offset);
        }

        return compressed.Length > DescriptorAt && (compressed[DescriptorAt] & ChecksumBit) != 0;
    }

    /// <summary>Decompresses the beginning of a chunk, as far as it fits.</summary>
    /// <param name="compressed">The beginning of the chunk's records.</param>
    /// <param name="records">Gets them.</param>
    /// <param name="size">The bytes that the chunk tells of: no larger window is taken.</param>
    /// <param name="offset">Of the chunk, for errors.</param>
    /// <returns>Bytes of records.</returns>
    public int Begin(ReadOnlySpan<byte> compressed, Span<byte> records, long size, long offset)
    {
        try
        {
            _zstd.Begin(Math.Max(LeastWindowLog, BitOperations.Log2(BitOperations.RoundUpToPowerOf2((ulong)size))));
            for (var all = 0; ;)
            {
                var (read, made) = _zstd.Next(compressed, records[all..]);
                compressed = compressed[read..];
                all += made;
                if (read + made == 0 || all == records.Length)
                {
                    return all;
                }
            }
        }
        catch (EncodingException damage)
        {
            throw Damaged(damage, offset);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _zstd.Dispose();

    private static McapException Damaged(EncodingException damage, long offset) =>
        new($"a chunk is damaged ({damage.Message.TrimEnd('.')})", offset, innerException: damage);
}
