using System.Numerics;
using System.Runtime.CompilerServices;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// Writes whole numbers as text: four or eight digits at a time, without branches on how many there are. Eight bytes
/// more than the number has may be overwritten.
/// </summary>
internal static class TextNumbers
{
    /// <summary>The most bytes that are touched.</summary>
    public const int Longest = 32;

    private const ulong Zeros = 0x3030_3030_3030_3030;

    /// <summary>Writes a number.</summary>
    /// <returns>Where it ends.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(ref byte target, int at, uint value) =>
        value < 10_000 ? WriteFour(ref target, at, value) : WriteMany(ref target, at, value);

    /// <inheritdoc cref="Write(ref byte, int, uint)"/>
    public static int Write(ref byte target, int at, int value)
    {
        if (value >= 0)
        {
            return Write(ref target, at, (uint)value);
        }

        Unsafe.Add(ref target, at) = (byte)'-';
        return Write(ref target, at + 1, (uint)-(long)value);
    }

    /// <inheritdoc cref="Write(ref byte, int, uint)"/>
    public static int Write(ref byte target, int at, long value)
    {
        if (value >= 0)
        {
            return WriteMany(ref target, at, (ulong)value);
        }

        Unsafe.Add(ref target, at) = (byte)'-';
        return WriteMany(ref target, at + 1, 0 - (ulong)value);
    }

    /// <inheritdoc cref="Write(ref byte, int, uint)"/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int WriteMany(ref byte target, int at, ulong value)
    {
        const ulong eight = 100_000_000;
        if (value < eight)
        {
            // Leading zeros are shifted out; the last digit always stays.
            var digits = EightDigits((uint)value);
            var zeros = BitOperations.TrailingZeroCount(digits | (1ul << 56)) & ~7;
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref target, at), (digits | Zeros) >> zeros);
            return at + 8 - (zeros >> 3);
        }

        var upper = value / eight;
        at = WriteMany(ref target, at, upper);
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref target, at), EightDigits((uint)(value - (upper * eight))) | Zeros);
        return at + 8;
    }

    /// <summary>The digits of a number below 100,000,000, the first in the lowest byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong EightDigits(uint value)
    {
        // Halves of four digits, then of two, then single digits, side by side in one word: 10,486 / 2^20 and 103 /
        // 2^10 are 1/100 and 1/10 closely enough.
        var upper = value / 10_000;
        var fours = upper | ((ulong)(value - (upper * 10_000)) << 32);
        var hundreds = ((fours * 10_486) >> 20) & 0x7F_0000_007F;
        var twos = hundreds | ((fours - (hundreds * 100)) << 16);
        var tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
        return tens | ((twos - (tens * 10)) << 8);
    }

    /// <summary>Writes a number below 10,000.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int WriteFour(ref byte target, int at, uint value)
    {
        var hundreds = (value * 5_243) >> 19;
        var twos = hundreds | ((value - (hundreds * 100)) << 16);
        var tens = ((twos * 103) >> 10) & 0x000F_000F;
        var digits = tens | ((twos - (tens * 10)) << 8);
        var zeros = BitOperations.TrailingZeroCount(digits | (1u << 24)) & ~7;
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref target, at), (digits | 0x3030_3030) >> zeros);
        return at + 4 - (zeros >> 3);
    }
}
