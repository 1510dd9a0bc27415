using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// Writes numbers with the same text as .NET: a floating-point number has the fewest digits that parse to the same value. Only negative
/// zero and the largest float have other texts, because some parsers of protobuf JSON would read .NET's texts incorrectly.
/// </summary>
/// <remarks>
/// Negative zero is written as -0.0, because Python reads a number without a point as an integer, without the sign. The largest float is
/// written with all digits of the equal double. The shortest text of the largest float is slightly above it, and Python's protobuf refuses
/// such numbers. Numbers between 2^-3 and 2^23 (nearly all numbers of a game) use 64-bit fixed-point arithmetic. In this range, a float is
/// an integer below 2^24 divided by a power of two, 2^s, and the next float is 2^-s away. Let D be the smallest number for which 10^-D is
/// at most 2^-s. Then at least one text with D decimals parses to the float. At most one text with D - 1 decimals does too. Shorter texts
/// that do are this text without its last zeros (Giulietti, "The Schubfach way to render doubles"). .NET writes all other numbers.
/// </remarks>
internal static class TextNumbers
{
    /// <summary>The maximum number of bytes that a call may overwrite, from the start of the number.</summary>
    public const int Longest = 48;

    private const int MantissaBits = 23;
    private const uint MantissaMask = (1u << MantissaBits) - 1;

    // The exponent s of the largest numbers, and of the smallest numbers that have at most eight decimals.
    private const int FewestBits = 1;
    private const int MostBits = 26;
    private const int Bias = 127 + MantissaBits;
    private const uint NegativeInfinity = 0xFF80_0000; // larger values are NaN
    private const uint Largest = 0x7F7F_FFFF;
    private const ulong NegativeZero = 1ul << 63; // of a double
    private const ulong Zeros = 0x3030_3030_3030_3030;

    // Indexed by s: 10^D, and the factor that extends D decimals to eight.
    private static readonly ulong[] Power = new ulong[MostBits + 1];
    private static readonly ulong[] Fill = new ulong[MostBits + 1];

    static TextNumbers()
    {
        for (var bits = FewestBits; bits <= MostBits; bits++)
        {
            (Power[bits], Fill[bits]) = (1, 100_000_000);
            while (Power[bits] < 1ul << bits)
            {
                Power[bits] *= 10;
                Fill[bits] /= 10;
            }
        }
    }

    /// <summary>Writes a whole number.</summary>
    /// <returns>The offset after the number.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Whole<T>(ref byte target, int at, T value)
        where T : struct, IUtf8SpanFormattable
    {
        value.TryFormat(Room(ref target, at), out var length, default, CultureInfo.InvariantCulture);
        return at + length;
    }

    /// <summary>Writes a whole number of 32 bits. May overwrite up to eight bytes after the number.</summary>
    /// <returns>The offset after the number.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Whole(ref byte target, int at, uint value)
    {
        if (value >= 100_000_000)
        {
            return Whole<uint>(ref target, at, value);
        }

        // Leading zeros are shifted out, but the last digit always stays.
        var digits = EightDigits(value);
        var zeros = BitOperations.TrailingZeroCount(digits | (1ul << 56)) & ~7;
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref target, at), (digits | Zeros) >> zeros);
        return at + 8 - (zeros >> 3);
    }

    /// <summary>Writes a float, given as its bits. NaN and infinities become strings.</summary>
    /// <returns>The offset after the number.</returns>
    public static int Float(ref byte target, int at, uint bits)
    {
        if ((int)bits < 0)
        {
            if (bits >= NegativeInfinity)
            {
                return WriteByLibrary(ref target, at, bits);
            }

            Unsafe.Add(ref target, at++) = (byte)'-';
            bits &= int.MaxValue;
            if (bits == 0)
            {
                return WriteText(ref target, at - 1, "-0.0"u8);
            }
        }

        var fractionBits = Bias - (int)(bits >> MantissaBits);
        if ((uint)(fractionBits - FewestBits) > MostBits - FewestBits)
        {
            return WriteByLibrary(ref target, at, bits);
        }

        var mantissa = (ulong)(bits & MantissaMask) | (1u << MantissaBits);
        var whole = (uint)(mantissa >> fractionBits);
        var fraction = mantissa - ((ulong)whole << fractionBits);
        at = Whole(ref target, at, whole);
        if (fraction == 0)
        {
            return at;
        }

        var digits = EightDigits((uint)Decimals(fraction, fractionBits));
        Unsafe.Add(ref target, at) = (byte)'.';
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref target, at + 1), digits | Zeros);
        return at + 9 - (BitOperations.LeadingZeroCount(digits) >> 3);
    }

    /// <summary>Writes a double, given as its bits.</summary>
    /// <returns>The offset after the number.</returns>
    public static int Double(ref byte target, int at, ulong bits)
    {
        if (bits == NegativeZero)
        {
            return WriteText(ref target, at, "-0.0"u8);
        }

        return Shortest(ref target, at, BitConverter.UInt64BitsToDouble(bits));
    }

    // The fraction in units of 10^-8, rounded to the fewest digits.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Decimals(ulong fraction, int bits)
    {
        var power = Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(Power), bits);
        var half = power >> 1;
        var scaled = fraction * power; // below 2^24 * 10^8 < 2^51
        var ten = 10ul << bits;
        var floor = scaled >> bits;
        var tens = floor / 10;
        var below = scaled - (tens * ten);
        var nearest = (scaled + (1ul << (bits - 1)) - 1 + (floor & 1)) >> bits; // ties round to even
        var result = ten - below < half ? (tens * 10) + 10 : nearest;
        result = below < half ? tens * 10 : result;
        return result * Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(Fill), bits);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int WriteByLibrary(ref byte target, int at, uint bits)
    {
        if (bits is 0 or Largest)
        {
            return WriteText(ref target, at, bits == 0 ? "0"u8 : "3.4028234663852886E+38"u8);
        }

        return Shortest(ref target, at, BitConverter.UInt32BitsToSingle(bits));
    }

    private static int Shortest<T>(ref byte target, int at, T value)
        where T : struct, IBinaryFloatingPointIeee754<T>
    {
        if (!T.IsFinite(value))
        {
            return WriteText(
                ref target, at, T.IsNaN(value) ? "\"NaN\""u8 : T.IsNegative(value) ? "\"-Infinity\""u8 : "\"Infinity\""u8);
        }

        value.TryFormat(Room(ref target, at), out var length, "R", CultureInfo.InvariantCulture);
        return at + length;
    }

    private static int WriteText(ref byte target, int at, ReadOnlySpan<byte> text)
    {
        text.CopyTo(Room(ref target, at));
        return at + text.Length;
    }

    private static Span<byte> Room(ref byte target, int at) =>
        MemoryMarshal.CreateSpan(ref Unsafe.Add(ref target, at), Longest);

    // The digits of a number below 100,000,000. The first digit is in the lowest byte.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong EightDigits(uint value)
    {
        // Splits the number into parts of four digits, then of two digits, then of one digit, next to each other in one word. In this
        // range, 10,486 / 2^20 and 103 / 2^10 are close enough to 1/100 and 1/10.
        var upper = value / 10_000;
        var fours = upper | ((ulong)(value - (upper * 10_000)) << 32);
        var hundreds = ((fours * 10_486) >> 20) & 0x7F_0000_007F;
        var twos = hundreds | ((fours - (hundreds * 100)) << 16);
        var tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
        return tens | ((twos - (tens * 10)) << 8);
    }
}
