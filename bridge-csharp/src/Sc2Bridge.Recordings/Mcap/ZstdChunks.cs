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

    /// <summary>Begins with a chunk's first piece.</summary>
    /// <param name="size">The bytes that the chunk tells of: no larger window is taken.</param>
    public void Begin(long size) =>
        _zstd.Begin(Math.Max(LeastWindowLog, BitOperations.Log2(BitOperations.RoundUpToPowerOf2((ulong)size))));

    /// <summary>Decompresses what fits; the end of a piece may come with a later call.</summary>
    /// <returns>Bytes read, and bytes made.</returns>
    public (int Read, int Made) Next(ReadOnlySpan<byte> piece, Span<byte> records, long offset)
    {
        try
        {
            return _zstd.Next(piece, records);
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
