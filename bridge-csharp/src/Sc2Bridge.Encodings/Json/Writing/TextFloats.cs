using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// Writes floating-point numbers as the shortest text that reads back as the same number: the text that .NET writes,
/// but for two that readers of protobuf's JSON would not take for what they are.
/// </summary>
/// <remarks>
/// The negative zero has a point: a reader to whom a number without one is a whole number (Python's) would lose its
/// sign. The largest float has all the digits that it has as a double: the shortest text is above it by a little, and
/// Python's protobuf refuses what is above the largest float.
/// Between 2^-3 and 2^23, where nearly every number of a game lies, by fixed-point arithmetic of 64 bits. There a
/// float is a whole number below 2^24 divided by a power of two, 2^s. With the least D for which 10^-D is at most 2^-s,
/// the distance from one float to the next, some text of D decimals reads back as the number; if one of D - 1 does,
/// there is only one such, and it holds every shorter text as well, followed by zeros (Giulietti, "The Schubfach way to
/// render doubles"). Every other number is left to .NET.
/// </remarks>
internal static class TextFloats
{
    /// <summary>The most bytes that are touched.</summary>
    public const int Longest = 48;

    private const int MantissaBits = 23;
    private const uint MantissaMask = (1u << MantissaBits) - 1;

    // s of the largest numbers, and of the smallest that have at most eight decimals.
    private const int FewestBits = 1;
    private const int MostBits = 26;
    private const int Bias = 127 + MantissaBits;
    private const uint NegativeInfinity = 0xFF80_0000; // what is above is not a number
    private const uint Largest = 0x7F7F_FFFF;
    private const ulong NegativeZero = 1ul << 63; // of a double
    private const ulong Zeros = 0x3030_3030_3030_3030;

    // 10^D by s; and what fills D digits up to eight.
    private static readonly ulong[] Power = new ulong[MostBits + 1];
    private static readonly ulong[] Fill = new ulong[MostBits + 1];

    static TextFloats()
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

    /// <summary>Writes a float, given as its bits; what JSON has no number for is a text (NaN, Infinity).</summary>
    /// <returns>Where it ends.</returns>
    public static int Write(ref byte target, int at, uint bits)
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
        at = TextNumbers.Write(ref target, at, whole);
        if (fraction == 0)
        {
            return at;
        }

        var digits = TextNumbers.EightDigits((uint)Decimals(fraction, fractionBits));
        Unsafe.Add(ref target, at) = (byte)'.';
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref target, at + 1), digits | Zeros);
        return at + 9 - (BitOperations.LeadingZeroCount(digits) >> 3);
    }

    /// <summary>Writes a double, given as its bits.</summary>
    /// <returns>Where it ends.</returns>
    public static int Write(ref byte target, int at, ulong bits)
    {
        if (bits == NegativeZero)
        {
            return WriteText(ref target, at, "-0.0"u8);
        }

        var value = BitConverter.UInt64BitsToDouble(bits);
        var room = MemoryMarshal.CreateSpan(ref Unsafe.Add(ref target, at), Longest);
        if (double.IsFinite(value))
        {
            value.TryFormat(room, out var length, "R", CultureInfo.InvariantCulture);
            return at + length;
        }

        return at + Named(room, double.IsNaN(value), value < 0);
    }

    // The fraction in units of 10^-8, rounded to the shortest.
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
        var nearest = (scaled + (1ul << (bits - 1)) - 1 + (floor & 1)) >> bits; // half-way to the even one
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

        var value = BitConverter.UInt32BitsToSingle(bits);
        var room = MemoryMarshal.CreateSpan(ref Unsafe.Add(ref target, at), Longest);
        if (float.IsFinite(value))
        {
            value.TryFormat(room, out var length, "R", CultureInfo.InvariantCulture);
            return at + length;
        }

        return at + Named(room, float.IsNaN(value), value < 0);
    }

    private static int WriteText(ref byte target, int at, ReadOnlySpan<byte> text)
    {
        text.CopyTo(MemoryMarshal.CreateSpan(ref Unsafe.Add(ref target, at), text.Length));
        return at + text.Length;
    }

    private static int Named(Span<byte> room, bool isNaN, bool isNegative)
    {
        var name = isNaN ? "\"NaN\""u8 : isNegative ? "\"-Infinity\""u8 : "\"Infinity\""u8;
        name.CopyTo(room);
        return name.Length;
    }
}
