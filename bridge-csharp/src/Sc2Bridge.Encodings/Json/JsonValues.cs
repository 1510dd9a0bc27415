using System.Buffers;
using System.Buffers.Text;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Numerics;
using System.Text.Json;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json;

/// <summary>Parses one token: a number, an enum, a string, bytes, or a name. Throws <see cref="JsonRefusedException"/>.</summary>
internal static class JsonValues
{
    private const int MostNames = 12;
    private const int LongestQuote = 40;

    // Longer than any name, even if each letter is escaped.
    private const int LongestName = 384;

    /// <summary>Looks up a name.</summary>
    public static bool TryFind<T>(
        scoped in Utf8JsonReader token, Dictionary<string, T>.AlternateLookup<ReadOnlySpan<char>> named,
        [MaybeNullWhen(false)] out T found)
    {
        Span<char> name = stackalloc char[LongestName];
        if (token.ValueSpan.Length > name.Length)
        {
            found = default;
            return false;
        }

        int length;
        try
        {
            length = token.CopyString(name);
        }
        catch (InvalidOperationException)
        {
            throw HalfSurrogatePair(token);
        }

        return named.TryGetValue(name[..length], out found);
    }

    /// <summary>A whole number.</summary>
    /// <param name="token">The token.</param>
    /// <param name="scratch">A buffer for unescaping. Nothing is added to it.</param>
    /// <param name="min">The minimum.</param>
    /// <param name="max">The maximum.</param>
    /// <returns>The number's 64 bits; a negative number is in two's complement.</returns>
    public static ulong Whole(scoped in Utf8JsonReader token, MessageBuffer scratch, long min, ulong max)
    {
        var number = Number(token, scratch, out var isNumber);
        if (isNumber && long.TryParse(number, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var plain))
        {
            if (plain >= min && (plain < 0 || (ulong)plain <= max))
            {
                return (ulong)plain;
            }
        }
        else if (isNumber && TryWhole(number, out var value) && value >= min && value <= max)
        {
            return value < 0 ? (ulong)(long)value : (ulong)value;
        }

        throw new JsonRefusedException($"{Quoted(token)} is not valid here", $"give a whole number from {min} to {max}");
    }

    /// <summary>A floating-point number.</summary>
    /// <param name="token">The token.</param>
    /// <param name="scratch">A buffer for unescaping. Nothing is added to it.</param>
    /// <param name="kind">The proto type's name.</param>
    public static T Real<T>(scoped in Utf8JsonReader token, MessageBuffer scratch, string kind)
        where T : IBinaryFloatingPointIeee754<T>
    {
        var number = Number(token, scratch, out var isNumber);
        if (isNumber && T.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out var value) && T.IsFinite(value))
        {
            return value;
        }

        if (!isNumber && token.TokenType == JsonTokenType.String)
        {
            if (number.SequenceEqual("NaN"u8))
            {
                return T.NaN;
            }

            if (number.SequenceEqual("Infinity"u8) || number.SequenceEqual("-Infinity"u8))
            {
                return number[0] == '-' ? T.NegativeInfinity : T.PositiveInfinity;
            }
        }

        throw new JsonRefusedException(
            isNumber ? $"{Quoted(token)} is outside the range of {kind}" : $"{Quoted(token)} is not a {kind}",
            $"give a number in the range of {kind}, or \"NaN\", \"Infinity\" or \"-Infinity\"");
    }

    public static bool Bool(scoped in Utf8JsonReader token) => token.TokenType switch
    {
        JsonTokenType.True => true,
        JsonTokenType.False => false,
        _ => throw new JsonRefusedException($"{Quoted(token)} is not a boolean", "give true or false"),
    };

    /// <summary>An enum value, from its name or number.</summary>
    public static ulong Enum(scoped in Utf8JsonReader token, MessageBuffer scratch, EnumDescriptor type)
    {
        if (token.TokenType == JsonTokenType.Number)
        {
            return Whole(token, scratch, int.MinValue, int.MaxValue);
        }

        if (token.TokenType == JsonTokenType.String && TryFind<int>(token, JsonNames.NumbersOf(type), out var number))
        {
            return (ulong)number;
        }

        var problem = token.TokenType == JsonTokenType.String ? "is not a name of this enum" : "is neither a name nor a number";
        throw new JsonRefusedException($"{Quoted(token)} {problem}", $"give {ShortList([.. type.Values.Select(value => value.Name)])}");
    }

    /// <summary>Writes a string with its length.</summary>
    public static void WriteString(scoped in Utf8JsonReader token, WireWriter output)
    {
        if (token.TokenType != JsonTokenType.String)
        {
            throw new JsonRefusedException($"{Quoted(token)} is not a string", "give a string: \"…\"");
        }

        var start = output.Begin();
        output.Buffer.Advance(Unescape(token, output.Buffer.GetSpan(token.ValueSpan.Length)));
        output.End(start);
    }

    /// <summary>Writes bytes with their length. Accepts base64 of both alphabets, padded or not (RFC 4648, sections 4 and 5).</summary>
    public static void WriteBytes(scoped in Utf8JsonReader token, WireWriter output)
    {
        if (token.TokenType != JsonTokenType.String)
        {
            throw new JsonRefusedException($"{Quoted(token)} is not a string", "give the bytes as base64: \"…\"");
        }

        var start = output.Begin();
        var longest = token.ValueSpan.Length;
        var room = output.Buffer.GetSpan(2 * longest);
        var text = room.Slice(longest, Unescape(token, room[longest..]));
        text = text.Length % 4 == 0 ? text[..^(text.EndsWith("=="u8) ? 2 : text.EndsWith("="u8) ? 1 : 0)] : text;
        text.Replace((byte)'+', (byte)'-');
        text.Replace((byte)'/', (byte)'_');

        // The library ignores white space and padding, and it also accepts a percent sign as padding.
        if (text.ContainsAny(" \t\r\n="u8) || text.Contains((byte)'%')
            || Base64Url.DecodeFromUtf8(text, room[..longest], out _, out var decoded) != OperationStatus.Done)
        {
            throw new JsonRefusedException(
                $"{Quoted(token)} is not valid base64", "use one of its two alphabets, without white space");
        }

        output.Buffer.Advance(decoded);
        output.End(start);
    }

    /// <summary>The token as it is written in the text, for an error message.</summary>
    public static string Quoted(scoped in Utf8JsonReader token) => token.TokenType switch
    {
        JsonTokenType.StartObject => "an object",
        JsonTokenType.StartArray => "a list",
        JsonTokenType.String => $"\"{Quote(token.ValueSpan)}\"",
        _ => Quote(token.ValueSpan),
    };

    /// <summary>A part of the text, shortened for an error message.</summary>
    public static string Quote(ReadOnlySpan<byte> utf8)
    {
        // A character has at most four bytes. A surrogate pair is not split.
        var cut = utf8.Length > LongestQuote * 4 ? utf8[..(LongestQuote * 4)] : utf8;
        var text = System.Text.Encoding.UTF8.GetString(cut);
        return text.Length <= LongestQuote ? text
            : string.Concat(text.AsSpan(0, char.IsHighSurrogate(text[LongestQuote - 1])
                ? LongestQuote - 1 : LongestQuote), "…");
    }

    /// <summary>A list of names for an error message, shortened if it is long.</summary>
    public static string ShortList(string[] names) => names.Length == 1 ? names[0]
        : names.Length <= MostNames ? $"{string.Join(", ", names[..^1])} or {names[^1]}"
        : $"{string.Join(", ", names[..MostNames])} …";

    // Parses a number exactly, without floating-point arithmetic. The number may have a point or an exponent (1.0, 1e3).
    private static bool TryWhole(ReadOnlySpan<byte> number, out decimal value)
    {
        // decimal.TryParse returns 0 for a number that is too small for a decimal, so the digits are checked.
        var exponent = number.IndexOfAny("eE"u8);
        return decimal.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out value) && decimal.IsInteger(value)
            && (value != 0 || !number[..(exponent < 0 ? number.Length : exponent)].ContainsAnyInRange((byte)'1', (byte)'9'));
    }

    // Returns the text of a number, which may be in quotes. The span is valid until something is written to the buffer.
    private static ReadOnlySpan<byte> Number(scoped in Utf8JsonReader token, MessageBuffer scratch, out bool isNumber)
    {
        isNumber = token.TokenType == JsonTokenType.Number;
        if (token.TokenType != JsonTokenType.String)
        {
            return token.ValueSpan;
        }

        var text = token.ValueSpan;
        if (token.ValueIsEscaped)
        {
            var room = scratch.GetSpan(text.Length);
            text = room[..Unescape(token, room)];
        }

        isNumber = IsNumber(text);
        return text;
    }

    // Whether a text is exactly one JSON number.
    private static bool IsNumber(ReadOnlySpan<byte> text)
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

    // The unescaped text is never longer than the escaped one.
    private static int Unescape(scoped in Utf8JsonReader token, Span<byte> room)
    {
        try
        {
            return token.CopyString(room);
        }
        catch (InvalidOperationException)
        {
            throw HalfSurrogatePair(token);
        }
    }

    private static JsonRefusedException HalfSurrogatePair(scoped in Utf8JsonReader token) =>
        new($"{Quoted(token)} has half a surrogate pair", "give both halves, or the character itself");
}
