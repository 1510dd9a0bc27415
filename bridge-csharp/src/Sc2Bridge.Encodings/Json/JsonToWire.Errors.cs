using System.Text;
using System.Text.Json;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json;

/// <content>What is said of a text that is refused: where, what, and what would be right.</content>
internal ref partial struct JsonToWire
{
    private const int MostNames = 12;
    private const int LongestQuote = 40;

    private readonly EncodingException Refused(string what, string instead) =>
        new($"The text is no {_message.Name}: {Place()}{what}; {instead}.");

    private readonly EncodingException HalfPair() =>
        Refused($"{Quoted()} has half a surrogate pair", "give both halves, or the character itself");

    private readonly EncodingException Unknown(MessageDescriptor message)
    {
        var fields = message.Fields.InFieldNumberOrder();
        return Refused(
            $"{message.Name} has no such field",
            fields.Count == 0 ? "it has none" : $"it has {AFew([.. fields.Select(field => field.JsonName)])}");
    }

    private readonly void RefuseRival(OneofDescriptor oneof, ulong set)
    {
        for (var index = 0; index < oneof.Fields.Count; index++)
        {
            var rival = oneof.Fields[index];
            if ((set >> rival.Index & 1) != 0)
            {
                throw Refused($"{rival.JsonName} is there too", $"give one field of the oneof {oneof.Name}");
            }
        }
    }

    private readonly EncodingException Malformed(JsonException invalid)
    {
        // The framework repeats the whole of a literal that is none: it may be a key that lacks a quotation mark.
        var why = invalid.Message;
        var literal = why.IndexOf("' is an invalid JSON literal", StringComparison.Ordinal);
        why = literal < 0 ? why : $"a value{why[(literal + 1)..]}";
        return new EncodingException($"The text is no {_message.Name}: {Place()}it is no JSON: {why}", invalid);
    }

    // As frame.observation.rawData.units[3].pos.x, with a colon behind it; empty for the whole.
    private readonly string Place()
    {
        var path = new StringBuilder();
        for (var level = 0; level <= _level && _path[level] is { Start: > 0 } step; level++)
        {
            path.Append(level == 0 ? "" : ".").Append(Quote(_text.Slice(step.Start, step.Length)))
                .Append(step.Place < 0 ? "" : $"[{step.Place}]");
        }

        return path.Length == 0 ? "" : $"{path}: ";
    }

    // The token as it stands in the text.
    private readonly string Quoted() => _reader.TokenType switch
    {
        JsonTokenType.StartObject => "an object",
        JsonTokenType.StartArray => "a list",
        JsonTokenType.String => $"\"{Quote(_reader.ValueSpan)}\"",
        _ => Quote(_reader.ValueSpan),
    };

    // A piece of the text as a message can carry it.
    private static string Quote(ReadOnlySpan<byte> utf8)
    {
        // A character takes at most four bytes; half a character is left out.
        var cut = utf8.Length > LongestQuote * 4 ? utf8[..(LongestQuote * 4)] : utf8;
        var text = System.Text.Encoding.UTF8.GetString(cut);
        return text.Length <= LongestQuote ? text
            : string.Concat(text.AsSpan(0, char.IsHighSurrogate(text[LongestQuote - 1])
                ? LongestQuote - 1 : LongestQuote), "…");
    }

    private static string AFew(string[] names) => names.Length == 1 ? names[0]
        : names.Length <= MostNames ? $"{string.Join(", ", names[..^1])} or {names[^1]}"
        : $"{string.Join(", ", names[..MostNames])} …";

    private static string PlaceOfInvalid(ReadOnlySpan<byte> utf8)
    {
        var at = 0;
        while (Rune.DecodeFromUtf8(utf8[at..], out _, out var length) == System.Buffers.OperationStatus.Done)
        {
            at += length;
        }

        return $"at byte {at}";
    }
}
