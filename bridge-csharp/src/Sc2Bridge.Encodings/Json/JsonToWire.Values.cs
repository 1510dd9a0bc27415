using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Sc2Bridge.Encodings.Json;

/// <summary>The values of one token.</summary>
internal ref partial struct JsonToWire
{
    // As 64 bits: those of a negative number stand for it in two's complement.
    private long ReadWhole(long least, ulong most)
    {
        var number = Number(out var isNumber);
        if (isNumber && JsonNumbers.TryWhole(number, out var negative, out var magnitude))
        {
            if (!negative && magnitude <= most)
            {
                return (long)magnitude;
            }

            // Of the least one the magnitude is one more than a long holds.
            if (negative && magnitude <= (ulong)-(least + 1) + 1 && (least < 0 || magnitude == 0))
            {
                return -(long)magnitude;
            }
        }

        throw Refused($"{Quoted()} is none of its numbers", $"give a whole one from {least} to {most}");
    }

    private float ReadFloat()
    {
        const string Kinds = "give a number that a float holds, or \"NaN\", \"Infinity\" or \"-Infinity\"";
        var number = Number(out var isNumber);
        if (!isNumber)
        {
            return (float)(NoNumber(number) ?? throw Refused($"{Quoted()} is no float", Kinds));
        }

        return JsonNumbers.TryFloat(number, out var value)
            ? value : throw Refused($"{Quoted()} is out of a float's range", Kinds);
    }

    private double ReadDouble()
    {
        const string Kinds = "give a number that a double holds, or \"NaN\", \"Infinity\" or \"-Infinity\"";
        var number = Number(out var isNumber);
        if (!isNumber)
        {
            return NoNumber(number) ?? throw Refused($"{Quoted()} is no double", Kinds);
        }

        return JsonNumbers.TryDouble(number, out var value)
            ? value : throw Refused($"{Quoted()} is out of a double's range", Kinds);
    }

    private readonly double? NoNumber(ReadOnlySpan<byte> text) =>
        _reader.TokenType != JsonTokenType.String ? null
        : text.SequenceEqual("NaN"u8) ? double.NaN
        : text.SequenceEqual("Infinity"u8) ? double.PositiveInfinity
        : text.SequenceEqual("-Infinity"u8) ? double.NegativeInfinity
        : null;

    // A number as it stands, or in quotes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ReadOnlySpan<byte> Number(out bool isNumber)
    {
        if (_reader.TokenType == JsonTokenType.Number)
        {
            isNumber = true;
            return _reader.ValueSpan;
        }

        return QuotedNumber(out isNumber);
    }

    private ReadOnlySpan<byte> QuotedNumber(out bool isNumber)
    {
        if (_reader.TokenType != JsonTokenType.String)
        {
            isNumber = false;
            return [];
        }

        var text = Text();
        isNumber = JsonNumbers.IsNumber(text);
        return text;
    }

    private bool ReadBool() => _reader.TokenType switch
    {
        JsonTokenType.True => true,
        JsonTokenType.False => false,
        _ => throw Refused($"{Quoted()} is neither", "give true or false"),
    };

    private long ReadEnum(JsonEnum type)
    {
        if (_reader.TokenType == JsonTokenType.String)
        {
            return type.TryFind(Text(), out var number) ? number
                : throw Refused($"{Quoted()} is none of its names", $"give {AFew(type.Names)}");
        }

        if (_reader.TokenType == JsonTokenType.Number)
        {
            return ReadWhole(int.MinValue, int.MaxValue);
        }

        throw Refused($"{Quoted()} is neither a name nor a number", $"give {AFew(type.Names)}");
    }

    private void ReadString()
    {
        if (_reader.TokenType != JsonTokenType.String)
        {
            throw Refused($"{Quoted()} is no string", "give one: \"…\"");
        }

        var text = Text();
        text.CopyTo(_output.Reserve(text.Length));
    }

    private void ReadBytes()
    {
        if (_reader.TokenType != JsonTokenType.String)
        {
            throw Refused($"{Quoted()} is no string", "give the bytes as base64: \"…\"");
        }

        var text = Text();
        if (!Base64Text.TryMeasure(ref text, out var length) || !Base64Text.TryDecode(text, _output.Reserve(length)))
        {
            throw Refused($"{Quoted()} is no base64", "give letters of one of its alphabets, without white space");
        }
    }

    // Of a string or a name. Valid until the next call.
    private ReadOnlySpan<byte> Text() => _reader.ValueIsEscaped ? Unescaped() : _reader.ValueSpan;

    private ReadOnlySpan<byte> Unescaped()
    {
        // Nothing is longer without its escapes.
        var longest = _reader.ValueSpan.Length;
        if (_scratch is null || _scratch.Length < longest)
        {
            if (_scratch is not null)
            {
                ArrayPool<byte>.Shared.Return(_scratch);
            }

            _scratch = ArrayPool<byte>.Shared.Rent(longest);
        }

        try
        {
            return _scratch.AsSpan(0, _reader.CopyString(_scratch));
        }
        catch (InvalidOperationException)
        {
            throw Refused($"{Quoted()} has half a surrogate pair", "give both halves, or the character itself");
        }
    }
}
