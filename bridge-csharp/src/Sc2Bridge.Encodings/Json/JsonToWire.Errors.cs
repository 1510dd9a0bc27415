using System.Text;
using System.Text.Json;

namespace Sc2Bridge.Encodings.Json;

/// <summary>What is said of a text that is refused: where, what, and what would be right.</summary>
internal ref partial struct JsonToWire
{
    private const int MostNames = 12;

    private readonly EncodingException Refused(string what, string instead)
    {
        var path = JsonPath.Of(_text, _reader.TokenStartIndex, _deepest);
        return new EncodingException(
            $"The text is no {_message.Name}: {(path.Length == 0 ? "" : path + ": ")}{what}; {instead}.");
    }

    private readonly EncodingException Unknown(JsonMessage message) => Refused(
        $"{message.Name} has no such field",
        message.Fields.Length == 0 ? "it has none" : $"it has {AFew([.. message.Fields.Select(field => field.Name)])}");

    private readonly EncodingException Rivalled(JsonMessage message, JsonField field, ulong set)
    {
        var rival = Array.Find(message.Fields, other => (set & field.Rivals & other.Bit) != 0)!;
        return Refused($"{rival.Name} is there too", $"give one field of the oneof {field.Oneof}");
    }

    private readonly EncodingException Malformed(JsonException invalid)
    {
        var path = JsonPath.Of(_text, _reader.BytesConsumed, _deepest);

        // The framework repeats the whole of a literal that is none: it may be a key that lacks a quotation mark.
        var why = invalid.Message;
        var literal = why.IndexOf("' is an invalid JSON literal", StringComparison.Ordinal);
        why = literal < 0 ? why : $"a value{why[(literal + 1)..]}";
        return new EncodingException(
            $"The text is no {_message.Name}: {(path.Length == 0 ? "" : path + ": ")}it is no JSON: {why}", invalid);
    }

    // The token as it stands in the text.
    private readonly string Quoted() => _reader.TokenType switch
    {
        JsonTokenType.StartObject => "an object",
        JsonTokenType.StartArray => "a list",
        JsonTokenType.String => $"\"{JsonPath.Quote(_reader.ValueSpan)}\"",
        _ => JsonPath.Quote(_reader.ValueSpan),
    };

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
