using System.Buffers.Binary;

namespace Sc2Bridge.Encodings.Zstd.Blocks;

/// <summary>
/// Writes the section of a block's literals (RFC 8878, 3.1.1.3.1): by a Huffman code that is made for the first that
/// come, told once and used to the group's end; as they are where that is not less. Not thread-safe.
/// </summary>
internal sealed class LiteralsSection
{
    private const uint Raw = 0;
    private const uint Compressed = 2;
    private const uint Treeless = 3;

    // Four streams, which a decoder reads side by side, and the lengths of three of them.
    private const int Streams = 4;
    private const int Jumps = 6;
    private const int FewestToCompress = 64;

    private readonly HuffmanTable _code = new();
    private readonly byte[] _description = new byte[512];

    /// <summary>Whether the decoder has the code; false where libzstd wrote what came before.</summary>
    public bool IsCodeKnown { get; set; }

    /// <summary>Writes the section.</summary>
    /// <param name="literals">All of the block.</param>
    /// <param name="target">At least twice as many, and 1,024.</param>
    /// <returns>The section's bytes.</returns>
    public int Write(ReadOnlySpan<byte> literals, Span<byte> target)
    {
        if (literals.Length >= FewestToCompress)
        {
            var described = IsCodeKnown ? 0 : Describe(literals);
            if ((IsCodeKnown || described > 0)
                && WriteCompressed(literals, _description.AsSpan(0, described), target) is var length
                && length < literals.Length)
            {
                IsCodeKnown = true;
                return length;
            }
        }

        var header = WriteHeader(Raw, literals.Length, 0, target);
        literals.CopyTo(target[header..]);
        return header + literals.Length;
    }

    private int Describe(ReadOnlySpan<byte> literals)
    {
        Span<int> counted = stackalloc int[256];
        foreach (var literal in literals)
        {
            counted[literal]++;
        }

        _code.Build(counted);
        return _code.Describe(_description);
    }

    private int WriteCompressed(ReadOnlySpan<byte> literals, ReadOnlySpan<byte> description, Span<byte> target)
    {
        // The header's length hangs on the larger of two lengths, which is that of the literals where this is of use.
        var header = HeaderLength(literals.Length);
        description.CopyTo(target[header..]);
        var jumps = header + description.Length;
        var at = jumps + Jumps;
        var quarter = (literals.Length + Streams - 1) / Streams;
        for (var stream = 0; stream < Streams; stream++)
        {
            var rest = literals[(stream * quarter)..];
            var length = _code.Write(stream == Streams - 1 ? rest : rest[..quarter], target[at..]);
            if (stream < Streams - 1)
            {
                BinaryPrimitives.WriteUInt16LittleEndian(target[(jumps + (2 * stream))..], (ushort)length);
            }

            at += length;
        }

        if (at < literals.Length)
        {
            _ = WriteHeader(description.IsEmpty ? Treeless : Compressed, literals.Length, at - header, target);
        }

        return at;
    }

    private static int HeaderLength(int literals) => literals switch
    {
        < 1 << 10 => 3,
        < 1 << 14 => 4,
        _ => 5,
    };

    private static int WriteHeader(uint kind, int literals, int compressed, Span<byte> target)
    {
        if (kind == Raw)
        {
            // One length of 5, 12 or 20 bits.
            var (form, bytes) = literals switch
            {
                < 1 << 5 => (0u, 1),
                < 1 << 12 => (1u, 2),
                _ => (3u, 3),
            };
            var raw = kind | (form << 2) | ((uint)literals << (form == 0 ? 3 : 4));
            BinaryPrimitives.WriteUInt32LittleEndian(target, raw);
            return bytes;
        }

        // Two lengths of 10, 14 or 18 bits each.
        var length = HeaderLength(literals);
        var width = 10 + (4 * (length - 3));
        var header = kind | ((ulong)(length - 2) << 2) | ((ulong)literals << 4) | ((ulong)compressed << (4 + width));
        for (var at = 0; at < length; at++)
        {
            target[at] = (byte)(header >> (8 * at));
        }

        return length;
    }
}
