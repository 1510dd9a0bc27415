using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Numerics;
using System.Text.Json;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json;

/// <content>Names, and the values of one token.</content>
internal ref partial struct JsonToWire
{
    // More than any name takes, each letter escaped.
    private const int LongestName = 384;

    private readonly FieldDescriptor? Find(Dictionary<string, FieldDescriptor>.AlternateLookup<ReadOnlySpan<char>> fields)
    {
        Span<char> name = stackalloc char[LongestName];
        return TryName(name, out var length) && fields.TryGetValue(name[..length], out var field) ? field : null;
    }

    private readonly bool TryName(Span<char> name, out int length)
    {
        length = 0;
        if (_reader.ValueSpan.Length > name.Length)
        {
            return false;
        }

        try
        {
            length = _reader.CopyString(name);
            return true;
        }
        catch (InvalidOperationException)
        {
            throw HalfPair();
        }
    }

    // As 64 bits, a negative number in two's complement.
    private ulong ReadWhole(long least, ulong most)
    {
        var number = Number(out var isNumber);
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

        throw Refused($"{Quoted()} is none of its numbers", $"give a whole one from {least} to {most}");
    }

    // Exactly, not by way of a floating-point number; it may be written with a point or an exponent (1.0, 1e3).
    private static bool TryWhole(ReadOnlySpan<byte> number, out decimal value)
    {
        // A decimal becomes 0 if the number is too small for it.
        var exponent = number.IndexOfAny("eE"u8);
        return decimal.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out value) && decimal.IsInteger(value)
            && (value != 0 || !number[..(exponent < 0 ? number.Length : exponent)].ContainsAnyInRange((byte)'1', (byte)'9'));
    }

    private T ReadReal<T>(string kind)
        where T : IBinaryFloatingPointIeee754<T>
    {
        var number = Number(out var isNumber);
        if (isNumber && T.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out var value) && T.IsFinite(value))
        {
            return value;
        }

        if (!isNumber && _reader.TokenType == JsonTokenType.String)
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

        throw Refused(
            isNumber ? $"{Quoted()} is out of a {kind}'s range" : $"{Quoted()} is no {kind}",
            $"give a number that a {kind} holds, or \"NaN\", \"Infinity\" or \"-Infinity\"");
    }

    // A number as it stands, or in quotes; until something is written.
    private ReadOnlySpan<byte> Number(out bool isNumber)
    {
        isNumber = _reader.TokenType == JsonTokenType.Number;
        if (_reader.TokenType != JsonTokenType.String)
        {
            return _reader.ValueSpan;
        }

        var text = _reader.ValueSpan;
        if (_reader.ValueIsEscaped)
        {
            var room = _output.Buffer.GetSpan(text.Length);
            text = room[..Unescape(room)];
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

    private readonly bool ReadBool() => _reader.TokenType switch
    {
        JsonTokenType.True => true,
        JsonTokenType.False => false,
        _ => throw Refused($"{Quoted()} is neither", "give true or false"),
    };

    private ulong ReadEnum(EnumDescriptor type)
    {
        if (_reader.TokenType == JsonTokenType.Number)
        {
            return ReadWhole(int.MinValue, int.MaxValue);
        }

        if (_reader.TokenType == JsonTokenType.String)
        {
            Span<char> name = stackalloc char[LongestName];
            if (TryName(name, out var length) && JsonNames.NumbersOf(type).TryGetValue(name[..length], out var number))
            {
                return (ulong)number;
            }
        }

        var problem = _reader.TokenType == JsonTokenType.String ? "is none of its names" : "is neither a name nor a number";
        throw Refused($"{Quoted()} {problem}", $"give {AFew([.. type.Values.Select(value => value.Name)])}");
    }

    private readonly void ReadString()
    {
        if (_reader.TokenType != JsonTokenType.String)
        {
            throw Refused($"{Quoted()} is no string", "give one: \"…\"");
        }

        var start = _output.Begin();
        _output.Buffer.Advance(Unescape(_output.Buffer.GetSpan(_reader.ValueSpan.Length)));
        _output.End(start);
    }

    // Base64 of either alphabet, padded or not (RFC 4648, sections 4 and 5).
    private readonly void ReadBytes()
    {
        if (_reader.TokenType != JsonTokenType.String)
        {
            throw Refused($"{Quoted()} is no string", "give the bytes as base64: \"…\"");
        }

        var start = _output.Begin();
        var longest = _reader.ValueSpan.Length;
        var room = _output.Buffer.GetSpan(2 * longest);
        var text = room.Slice(longest, Unescape(room[longest..]));
        text = text.Length % 4 == 0 ? text[..^(text.EndsWith("=="u8) ? 2 : text.EndsWith("="u8) ? 1 : 0)] : text;
        text.Replace((byte)'+', (byte)'-');
        text.Replace((byte)'/', (byte)'_');

        // The library passes over white space, and over padding, which may be a percent sign to it.
        if (text.ContainsAny(" \t\r\n="u8) || text.Contains((byte)'%')
            || Base64Url.DecodeFromUtf8(text, room[..longest], out _, out var decoded) != OperationStatus.Done)
        {
            throw Refused($"{Quoted()} is no base64", "give letters of one of its alphabets, without white space");
        }

        _output.Buffer.Advance(decoded);
        _output.End(start);
    }

    // Nothing is longer without its escapes.
    private readonly int Unescape(Span<byte> room)
    {
        try
        {
            return _reader.CopyString(room);
        }
        catch (InvalidOperationException)
        {
            throw HalfPair();
        }
    }
}
