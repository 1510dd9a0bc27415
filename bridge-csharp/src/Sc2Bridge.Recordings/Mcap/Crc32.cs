using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// CRC-32 as zlib and MCAP have it (polynomial 0x04C11DB7, reflected: 0xEDB88320), over bytes that come in pieces. A
/// chunk's bytes all go through it, so that it folds 64 of them at a time where the processor multiplies without carries
/// (Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009), and else takes
/// 8 from tables.
/// </summary>
internal struct Crc32
{
    // Slicing: Tables[256 * n + b] is what the byte b does n bytes further on.
    private static readonly uint[] Tables = MakeTables();

    // The state that has seen nothing is all ones; kept inverted, so that it is 0 by itself.
    private uint _state;

    /// <summary>The CRC of what was added so far.</summary>
    public readonly uint Value => _state;

    /// <summary>The CRC of some bytes.</summary>
    public static uint Of(ReadOnlySpan<byte> bytes)
    {
        var crc = default(Crc32);
        crc.Add(bytes);
        return crc.Value;
    }

    /// <summary>Goes on with a piece.</summary>
    public void Add(ReadOnlySpan<byte> piece)
    {
        var crc = ~_state;
        if (Pclmulqdq.IsSupported && BitConverter.IsLittleEndian && piece.Length >= 4 * Vector128<byte>.Count)
        {
            crc = Fold(crc, ref piece);
        }

        _state = ~Slice(crc, piece);
    }

    /// <summary>The way without special instructions; open to tests.</summary>
    internal static uint Slice(uint crc, ReadOnlySpan<byte> bytes)
    {
        var tables = Tables;
        while (bytes.Length >= sizeof(ulong))
        {
            var eight = BinaryPrimitives.ReadUInt64LittleEndian(bytes) ^ crc;
            crc = tables[(7 << 8) + (byte)eight] ^ tables[(6 << 8) + (byte)(eight >> 8)]
                ^ tables[(5 << 8) + (byte)(eight >> 16)] ^ tables[(4 << 8) + (byte)(eight >> 24)]
                ^ tables[(3 << 8) + (byte)(eight >> 32)] ^ tables[(2 << 8) + (byte)(eight >> 40)]
                ^ tables[(1 << 8) + (byte)(eight >> 48)] ^ tables[(byte)(eight >> 56)];
            bytes = bytes[sizeof(ulong)..];
        }

        foreach (var one in bytes)
        {
            crc = tables[(byte)(crc ^ one)] ^ (crc >> 8);
        }

        return crc;
    }

    // Takes all whole blocks of 16 bytes. What they come to is as long as one of them, and has the same CRC.
    private static uint Fold(uint crc, ref ReadOnlySpan<byte> bytes)
    {
        // x^(512+64), x^512 and x^(128+64), x^128 modulo the polynomial, reflected.
        var by64 = Vector128.Create(0x0154442BD4UL, 0x01C6E41596UL);
        var by16 = Vector128.Create(0x01751997D0UL, 0x00CCAA009EUL);
        var blocks = MemoryMarshal.Cast<byte, Vector128<ulong>>(bytes);
        var (a, b, c, d) = (blocks[0] ^ Vector128.Create((ulong)crc, 0), blocks[1], blocks[2], blocks[3]);
        var at = 4;
        for (; at + 4 <= blocks.Length; at += 4)
        {
            a = Shift(a, by64) ^ blocks[at];
            b = Shift(b, by64) ^ blocks[at + 1];
            c = Shift(c, by64) ^ blocks[at + 2];
            d = Shift(d, by64) ^ blocks[at + 3];
        }

        a = Shift(a, by16) ^ b;
        a = Shift(a, by16) ^ c;
        a = Shift(a, by16) ^ d;
        for (; at < blocks.Length; at++)
        {
            a = Shift(a, by16) ^ blocks[at];
        }

        bytes = bytes[(at * Vector128<byte>.Count)..];
        Span<byte> left = stackalloc byte[Vector128<byte>.Count];
        a.AsByte().CopyTo(left);
        return Slice(0, left);
    }

    private static Vector128<ulong> Shift(Vector128<ulong> block, Vector128<ulong> by) =>
        Pclmulqdq.CarrylessMultiply(block, by, 0x00) ^ Pclmulqdq.CarrylessMultiply(block, by, 0x11);

    private static uint[] MakeTables()
    {
        var tables = new uint[8 * 256];
        for (var one = 0; one < 256; one++)
        {
            var crc = (uint)one;
            for (var bit = 0; bit < 8; bit++)
            {
                crc = (crc & 1) != 0 ? 0xEDB88320 ^ (crc >> 1) : crc >> 1;
            }

            tables[one] = crc;
        }

        for (var at = 256; at < tables.Length; at++)
        {
            var before = tables[at - 256];
            tables[at] = tables[(byte)before] ^ (before >> 8);
        }

        return tables;
    }
}
