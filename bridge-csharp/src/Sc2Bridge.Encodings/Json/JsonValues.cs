using System.Buffers;
using System.Buffers.Text;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Numerics;
using System.Text.Json;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json;

/// <summary>Reads the value of one token: a number, an enum, a string, bytes, or a name. Throws <see cref="JsonRefusedException"/>.</summary>
internal static class JsonValues
{
    private const int MostNames = 12;
    private const int LongestQuote = 40;

    // More than any name takes, each letter escaped.
    private const int LongestName = 384;

    /// <summary>Finds what a string names.</summary>
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
            throw HalfPair(token);
        }

        return named.TryGetValue(name[..length], out found);
    }

    /// <summary>A whole number.</summary>
    /// <param name="token">The token.</param>
    /// <param name="scratch">Has room for the token.</param>
    /// <param name="least">The least that it may be.</param>
    /// <param name="most">The most that it may be.</param>
    /// <returns>64 bits, a negative number in two's complement.</returns>
    public static ulong Whole(scoped in Utf8JsonReader token, MessageBuffer scratch, long least, ulong most)
    {
        var number = Number(token, scratch, out var isNumber);
        if (isNumber && long.TryParse(number, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var plain))
        {
            if (plain >= least && (plain < 0 || (ulong)plain <= most))
            {
                return (ulong)plain;
            }
        }
        else if (isNumber && TryWhole(number, out var value) && value >= least && value <= most)
        {
            return value < 0 ? (ulong)(long)value : (ulong)value;
        }

        throw new JsonRefusedException($"{Quoted(token)} is none of its numbers", $"give a whole one from {least} to {most}");
    }

    /// <summary>A floating-point number.</summary>
    /// <param name="token">The token.</param>
    /// <param name="scratch">Has room for the token.</param>
    /// <param name="kind">The type's name in the contract.</param>
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
            isNumber ? $"{Quoted(token)} is out of a {kind}'s range" : $"{Quoted(token)} is no {kind}",
            $"give a number that a {kind} holds, or \"NaN\", \"Infinity\" or \"-Infinity\"");
    }

    public static bool Bool(scoped in Utf8JsonReader token) => token.TokenType switch
    {
        JsonTokenType.True => true,
        JsonTokenType.False => false,
        _ => throw new JsonRefusedException($"{Quoted(token)} is neither", "give true or false"),
    };

    /// <summary>An enum's number, from its name or the number itself.</summary>
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

        var problem = token.TokenType == JsonTokenType.String ? "is none of its names" : "is neither a name nor a number";
        throw new JsonRefusedException($"{Quoted(token)} {problem}", $"give {AFew([.. type.Values.Select(value => value.Name)])}");
    }

    /// <summary>Writes a string, after its length.</summary>
    public static void WriteString(scoped in Utf8JsonReader token, WireWriter output)
    {
        if (token.TokenType != JsonTokenType.String)
        {
            throw new JsonRefusedException($"{Quoted(token)} is no string", "give one: \"…\"");
        }

        var start = output.Begin();
        output.Buffer.Advance(Unescape(token, output.Buffer.GetSpan(token.ValueSpan.Length)));
        output.End(start);
    }

    /// <summary>Writes bytes, after their length: base64 of either alphabet, padded or not (RFC 4648, sections 4 and 5).</summary>
    public static void WriteBytes(scoped in Utf8JsonReader token, WireWriter output)
    {
        if (token.TokenType != JsonTokenType.String)
        {
            throw new JsonRefusedException($"{Quoted(token)} is no string", "give the bytes as base64: \"…\"");
        }

        var start = output.Begin();
        var longest = token.ValueSpan.Length;
        var room = output.Buffer.GetSpan(2 * longest);
        var text = room.Slice(longest, Unescape(token, room[longest..]));
        text = text.Length % 4 == 0 ? text[..^(text.EndsWith("=="u8) ? 2 : text.EndsWith("="u8) ? 1 : 0)] : text;
        text.Replace((byte)'+', (byte)'-');
        text.Replace((byte)'/', (byte)'_');

        // The library passes over white space, and over padding, which may be a percent sign to it.
        if (text.ContainsAny(" \t\r\n="u8) || text.Contains((byte)'%')
            || Base64Url.DecodeFromUtf8(text, room[..longest], out _, out var decoded) != OperationStatus.Done)
        {
            throw new JsonRefusedException(
                $"{Quoted(token)} is no base64", "give letters of one of its alphabets, without white space");
        }

        output.Buffer.Advance(decoded);
        output.End(start);
    }

    /// <summary>The token as it stands in the text.</summary>
    public static string Quoted(scoped in Utf8JsonReader token) => token.TokenType switch
    {
        JsonTokenType.StartObject => "an object",
        JsonTokenType.StartArray => "a list",
        JsonTokenType.String => $"\"{Quote(token.ValueSpan)}\"",
        _ => Quote(token.ValueSpan),
    };

    /// <summary>A piece of the text as a message can carry it.</summary>
    public static string Quote(ReadOnlySpan<byte> utf8)
    {
        // A character takes at most four bytes; half a character is left out.
        var cut = utf8.Length > LongestQuote * 4 ? utf8[..(LongestQuote * 4)] : utf8;
        var text = System.Text.Encoding.UTF8.GetString(cut);
        return text.Length <= LongestQuote ? text
            : string.Concat(text.AsSpan(0, char.IsHighSurrogate(text[LongestQuote - 1])
                ? LongestQuote - 1 : LongestQuote), "…");
    }

    /// <summary>Names, for people.</summary>
    public static string AFew(string[] names) => names.Length == 1 ? names[0]
        : names.Length <= MostNames ? $"{string.Join(", ", names[..^1])} or {names[^1]}"
        : $"{string.Join(", ", names[..MostNames])} …";

    // Exactly, not by way of a floating-point number; it may be written with a point or an exponent (1.0, 1e3).
    private static bool TryWhole(ReadOnlySpan<byte> number, out decimal value)
    {
        // A decimal becomes 0 if the number is too small for it.
        var exponent = number.IndexOfAny("eE"u8);
        return decimal.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out value) && decimal.IsInteger(value)
            && (value != 0 || !number[..(exponent < 0 ? number.Length : exponent)].ContainsAnyInRange((byte)'1', (byte)'9'));
    }

    // A number as it stands, or in quotes; until something is written.
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

    // Whether a text is a number as JSON writes it, and nothing else.
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

    // Nothing is longer without its escapes.
    private static int Unescape(scoped in Utf8JsonReader token, Span<byte> room)
    {
        try
        {
            return token.CopyString(room);
        }
        catch (InvalidOperationException)
        {
            throw HalfPair(token);
        }
    }

    private static JsonRefusedException HalfPair(scoped in Utf8JsonReader token) =>
        new($"{Quoted(token)} has half a surrogate pair", "give both halves, or the character itself");
}
