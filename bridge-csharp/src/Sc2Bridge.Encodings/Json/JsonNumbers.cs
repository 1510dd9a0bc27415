using System.Globalization;
using System.Text.Json;

namespace Sc2Bridge.Encodings.Json;

/// <summary>Reads numbers of JSON exactly: whole ones not by way of a floating one, floats rounded once.</summary>
internal static class JsonNumbers
{
    // More digits than any 64-bit number has.
    private const int MostDigits = 20;

    // Digits that a long always holds.
    private const int SafeDigits = 18;

    private static readonly double[] PowersOfTen =
    [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    ];

    /// <summary>Whether a text is a number as JSON writes it, and nothing else.</summary>
    public static bool IsNumber(ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty || text[0] is not ((byte)'-' or (>= (byte)'0' and <= (byte)'9')))
        {
            return false;
        }

        var reader = new Utf8JsonReader(text);
        try
        {
            return reader.Read() && reader.ValueSpan.Length == text.Length;
        }
        catch (JsonException)
        {
            return false;
        }
    }

    /// <summary>Reads a whole number, which may be written with a point or an exponent (1.0, 1e3).</summary>
    /// <param name="number">A number as JSON writes it.</param>
    /// <param name="negative">Whether it has a minus.</param>
    /// <param name="magnitude">The rest of it.</param>
    /// <returns>False where it is not whole or has more than 64 bits.</returns>
    public static bool TryWhole(ReadOnlySpan<byte> number, out bool negative, out ulong magnitude)
    {
        negative = number[0] == '-';
        var digits = negative ? number[1..] : number;
        magnitude = 0;
        if (digits.Length > SafeDigits)
        {
            return TryScaled(digits, out magnitude);
        }

        foreach (var letter in digits)
        {
            var digit = (uint)letter - '0';
            if (digit > 9)
            {
                return TryScaled(digits, out magnitude);
            }

            magnitude = (magnitude * 10) + digit;
        }

        return true;
    }

    /// <summary>Reads a float.</summary>
    /// <param name="number">A number as JSON writes it.</param>
    /// <param name="value">The nearest one.</param>
    /// <returns>False where it is out of range.</returns>
    public static bool TryFloat(ReadOnlySpan<byte> number, out float value)
    {
        // Most have few digits: a quotient of two whole numbers that doubles hold exactly is rounded once. To round it
        // again to a float is the same as to round the number itself, but for what lies in the middle of two floats.
        const ulong BelowFloat = (1UL << 29) - 1;
        const ulong Middle = 1UL << 28;
        if (TryDecimal(number, out var negative, out var digits, out var decimals))
        {
            var quotient = digits / PowersOfTen[decimals];
            if ((BitConverter.DoubleToUInt64Bits(quotient) & BelowFloat) != Middle)
            {
                value = (float)(negative ? -quotient : quotient);
                return true;
            }
        }

        return float.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out value)
            && float.IsFinite(value);
    }

    /// <summary>Reads a double.</summary>
    /// <param name="number">A number as JSON writes it.</param>
    /// <param name="value">The nearest one.</param>
    /// <returns>False where it is out of range.</returns>
    public static bool TryDouble(ReadOnlySpan<byte> number, out double value) =>
        double.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out value)
        && double.IsFinite(value);

    // Digits with a point among them: at most 15 in all, so that they are less than 2^53 and, where there is any, more
    // than the least normal float.
    private static bool TryDecimal(ReadOnlySpan<byte> number, out bool negative, out ulong digits, out int decimals)
    {
        const int Most = 16;
        negative = number[0] == '-';
        (digits, decimals) = (0, 0);
        if (number.Length > Most)
        {
            return false;
        }

        var afterPoint = -1;
        for (var i = negative ? 1 : 0; i < number.Length; i++)
        {
            var digit = (uint)number[i] - '0';
            if (digit <= 9)
            {
                digits = (digits * 10) + digit;
            }
            else if (number[i] == '.')
            {
                afterPoint = i + 1;
            }
            else
            {
                return false;
            }
        }

        decimals = afterPoint < 0 ? 0 : number.Length - afterPoint;
        return digits < 1UL << 53;
    }

    // Any digits with a point and an exponent: the zeros at their end are the exponent's.
    private static bool TryScaled(ReadOnlySpan<byte> number, out ulong magnitude)
    {
        magnitude = 0;
        var letter = number.IndexOfAny((byte)'e', (byte)'E');
        var mantissa = letter < 0 ? number : number[..letter];
        var point = mantissa.IndexOf((byte)'.');
        var exponent = (letter < 0 ? 0 : Exponent(number[(letter + 1)..]))
            - (point < 0 ? 0 : mantissa.Length - point - 1);
        UInt128 value = 0;
        var (taken, zeros) = (0, 0);
        foreach (var next in mantissa)
        {
            if (next == '0')
            {
                zeros += taken > 0 ? 1 : 0;
            }
            else if (next != '.')
            {
                // Zeros between digits are digits.
                taken += zeros + 1;
                if (taken > MostDigits)
                {
                    return false;
                }

                for (; zeros > 0; zeros--)
                {
                    value *= 10;
                }

                value = (value * 10) + (uint)(next - '0');
            }
        }

        if (taken == 0)
        {
            return true;
        }

        exponent += zeros;
        if (exponent < 0 || exponent + taken > MostDigits)
        {
            return false;
        }

        for (; exponent > 0; exponent--)
        {
            value *= 10;
        }

        magnitude = (ulong)value;
        return value <= ulong.MaxValue;
    }

    // Past any that matters it is all the same.
    private static long Exponent(ReadOnlySpan<byte> text)
    {
        const long Most = 1L << 40;
        var value = 0L;
        foreach (var letter in text.TrimStart("+-"u8))
        {
            value = Math.Min((value * 10) + (letter - '0'), Most);
        }

        return text[0] == '-' ? -value : value;
    }
}
