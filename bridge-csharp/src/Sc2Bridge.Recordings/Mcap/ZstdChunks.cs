using System.Numerics;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Zstd;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Decompresses chunks, completely or only their beginnings. Not thread-safe.
/// </summary>
internal sealed class ZstdChunks : IDisposable
{
    // A zstd frame has a magic number and then a byte with the bit for a checksum (RFC 8878, 3.1.1).
    private const int DescriptorAt = 4;
    private const int ChecksumBit = 1 << 2;

    // Base 2 logarithm of the window that every decoder should support (RFC 8878, 3.1.1.1.2).
    private const int LeastWindowLog = 23;

    private readonly ZstdDecompressor _zstd = new();

    /// <summary>Decompresses all records of a chunk.</summary>
    /// <param name="compressed">The chunk's compressed records.</param>
    /// <param name="records">Gets the records. The length of this span is the size that the chunk declares.</param>
    /// <param name="offset">The chunk's position, for errors.</param>
    /// <returns>Whether the zstd frame has a checksum. If so, the checksum was checked.</returns>
    public bool Decompress(ReadOnlySpan<byte> compressed, Span<byte> records, long offset)
    {
        try
        {
            var made = _zstd.Decompress(compressed, records);
            if (made != records.Length)
            {
                throw new McapException($"a chunk decompresses to {made} bytes, but its declared size is {records.Length}", offset);
            }
        }
        catch (EncodingException damage)
        {
            throw Damaged(damage, offset);
        }

        return compressed.Length > DescriptorAt && (compressed[DescriptorAt] & ChecksumBit) != 0;
    }

    /// <summary>Decompresses the beginning of a chunk until the target is full.</summary>
    /// <param name="compressed">The beginning of the chunk's compressed records.</param>
    /// <param name="records">Gets the records.</param>
    /// <param name="declaredSize">The size of all records, as the chunk declares it. It limits the zstd window.</param>
    /// <param name="offset">The chunk's position, for errors.</param>
    /// <returns>The number of decompressed bytes.</returns>
    public int Begin(ReadOnlySpan<byte> compressed, Span<byte> records, long declaredSize, long offset)
    {
        try
        {
            _zstd.Begin(Math.Max(LeastWindowLog, BitOperations.Log2(BitOperations.RoundUpToPowerOf2((ulong)declaredSize))));
            for (var total = 0; ;)
            {
                var (read, made) = _zstd.Next(compressed, records[total..]);
                compressed = compressed[read..];
                total += made;
                if (read + made == 0 || total == records.Length)
                {
                    return total;
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
