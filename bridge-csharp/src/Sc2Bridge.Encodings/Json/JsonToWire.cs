using System.Buffers;
using System.Text.Json;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json;

/// <summary>
/// Reads proto3 JSON (https://protobuf.dev/programming-guides/json) straight to the wire, with no message in between:
/// the library's reader gives the tokens, tables made from the descriptors say what they mean.
/// </summary>
/// <remarks>
/// A nested message's length stands before its content: one byte is kept for it, and where it needs more the content is
/// moved. Fields come in the order of the text.
/// </remarks>
internal ref partial struct JsonToWire
{
    private readonly ReadOnlySpan<byte> _text;
    private readonly JsonMessage _message;
    private readonly int _deepest;
    private readonly WireWriter _output;
    private Utf8JsonReader _reader;
    private byte[]? _scratch;

    private JsonToWire(ReadOnlySpan<byte> text, JsonMessage message, MessageBuffer output, int deepest)
    {
        _text = text;
        _message = message;
        _deepest = deepest;
        _reader = new Utf8JsonReader(text, new JsonReaderOptions { MaxDepth = deepest });
        _output = new WireWriter(output);
        output.GetSpan(text.Length);
    }

    /// <summary>Reads one message.</summary>
    /// <param name="utf8">The whole text.</param>
    /// <param name="message">What it must be.</param>
    /// <param name="output">The wire bytes are appended to it, after an error some of them.</param>
    /// <param name="deepest">How deep objects and lists may stand in each other.</param>
    /// <exception cref="EncodingException">It is no such message.</exception>
    public static void Write(ReadOnlySpan<byte> utf8, JsonMessage message, MessageBuffer output, int deepest)
    {
        if (!System.Text.Unicode.Utf8.IsValid(utf8))
        {
            throw new EncodingException($"The text is no {message.Name}: it is not UTF-8 {PlaceOfInvalid(utf8)}.");
        }

        var walk = new JsonToWire(utf8, message, output, deepest);
        try
        {
            walk.Whole();
        }
        catch (JsonException invalid)
        {
            throw walk.Malformed(invalid);
        }
        finally
        {
            if (walk._scratch is not null)
            {
                ArrayPool<byte>.Shared.Return(walk._scratch);
            }
        }
    }

    private void Whole()
    {
        _reader.Read();
        if (_reader.TokenType != JsonTokenType.StartObject)
        {
            throw Refused($"{Quoted()} is no object", "give an object: {…}");
        }

        ReadObject(_message);
        _reader.Read();
    }

    // From behind its first brace to its last.
    private void ReadObject(JsonMessage message)
    {
        var (named, set) = (0UL, 0UL);

        // Most texts name them in the order of their numbers.
        var expected = 0;
        while (_reader.Read() && _reader.TokenType == JsonTokenType.PropertyName)
        {
            var field = message.Find(Text(), expected) ?? throw Unknown(message);
            if ((named & field.Bit) != 0)
            {
                throw Refused($"{field.Name} is there twice", "give it once, by one of its names");
            }

            named |= field.Bit;
            expected = field.Place + 1;
            _reader.Read();
            if (_reader.TokenType == JsonTokenType.Null)
            {
                continue;
            }

            if ((set & field.Rivals) != 0)
            {
                throw Rivalled(message, field, set);
            }

            set |= field.Bit;
            if (field.Repeated)
            {
                ReadList(field);
            }
            else
            {
                _output.Raw(field.Tag, field.TagLength);
                ReadValue(field);
            }
        }
    }

    private void ReadList(JsonField field)
    {
        if (_reader.TokenType != JsonTokenType.StartArray)
        {
            throw Refused($"{Quoted()} is no list", "give a list: […]");
        }

        _reader.Read();
        if (_reader.TokenType == JsonTokenType.EndArray)
        {
            return;
        }

        if (!field.Packed)
        {
            for (; _reader.TokenType != JsonTokenType.EndArray; _reader.Read())
            {
                _output.Raw(field.Tag, field.TagLength);
                ReadValue(field);
            }

            return;
        }

        _output.Raw(field.Tag, field.TagLength);
        var start = _output.Begin();
        for (; _reader.TokenType != JsonTokenType.EndArray; _reader.Read())
        {
            ReadValue(field);
        }

        _output.End(start);
    }

    private void ReadValue(JsonField field)
    {
        switch (field.Type)
        {
            case FieldType.Message:
                if (_reader.TokenType != JsonTokenType.StartObject)
                {
                    throw Refused($"{Quoted()} is no object", $"{field.Message!.Name} is one: {{…}}");
                }

                var start = _output.Begin();
                ReadObject(field.Message!);
                _output.End(start);
                break;
            case FieldType.Float:
                _output.Fixed32(BitConverter.SingleToUInt32Bits(ReadFloat()));
                break;
            case FieldType.Double:
                _output.Fixed64(BitConverter.DoubleToUInt64Bits(ReadDouble()));
                break;
            case FieldType.Bool:
                _output.Varint(ReadBool() ? 1u : 0u);
                break;
            case FieldType.Enum:
                _output.Varint((ulong)ReadEnum(field.Enum!));
                break;
            case FieldType.Int32:
                _output.Varint((ulong)ReadWhole(int.MinValue, int.MaxValue));
                break;
            case FieldType.UInt32:
                _output.Varint((ulong)ReadWhole(0, uint.MaxValue));
                break;
            case FieldType.Int64:
                _output.Varint((ulong)ReadWhole(long.MinValue, long.MaxValue));
                break;
            case FieldType.UInt64:
                _output.Varint((ulong)ReadWhole(0, ulong.MaxValue));
                break;
            case FieldType.String:
                ReadString();
                break;
            case FieldType.Bytes:
                ReadBytes();
                break;
            default:
                throw new NotSupportedException($"{field.Name} is of the kind {field.Type}");
        }
    }
}
