using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json;

/// <summary>
/// Reads proto3 JSON (https://protobuf.dev/programming-guides/json) straight to the wire, with no message in between:
/// the library's reader gives the tokens, the descriptors say what they mean.
/// </summary>
/// <remarks>
/// A nested message's length stands before its content: one byte is kept for it, and where it needs more the content is
/// moved. Fields come in the order of the text.
/// </remarks>
internal ref struct JsonToWire
{
    private readonly ReadOnlySpan<byte> _text;
    private readonly MessageDescriptor _message;
    private readonly WireWriter _output;
    private Utf8JsonReader _reader;
    private JsonPath _path;

    private JsonToWire(ReadOnlySpan<byte> text, MessageDescriptor message, MessageBuffer output)
    {
        _text = text;
        _message = message;
        _reader = new Utf8JsonReader(text, new JsonReaderOptions { MaxDepth = JsonReader.DeepestNesting });
        _output = new WireWriter(output);
        output.GetSpan(text.Length);
    }

    /// <summary>Reads one message.</summary>
    /// <param name="utf8">The whole text, which is UTF-8.</param>
    /// <param name="message">What it must be.</param>
    /// <param name="output">The wire bytes are appended to it, after an error some of them.</param>
    /// <exception cref="EncodingException">It is no such message.</exception>
    public static void Write(ReadOnlySpan<byte> utf8, MessageDescriptor message, MessageBuffer output)
    {
        var walk = new JsonToWire(utf8, message, output);
        try
        {
            walk.Whole();
        }
        catch (JsonException invalid)
        {
            throw walk.Malformed(invalid);
        }
        catch (JsonRefusedException refused)
        {
            throw walk.Refused(refused);
        }
    }

    private void Whole()
    {
        _reader.Read();
        if (_reader.TokenType != JsonTokenType.StartObject)
        {
            throw new JsonRefusedException($"{JsonValues.Quoted(_reader)} is no object", "give an object: {…}");
        }

        ReadObject(_message);
        _reader.Read();
    }

    // From behind its first brace to its last.
    private void ReadObject(MessageDescriptor message)
    {
        _path.Enter();
        var fields = JsonNames.FieldsOf(message);
        var (named, set) = (0UL, 0UL);
        while (_reader.Read() && _reader.TokenType == JsonTokenType.PropertyName)
        {
            _path.Field((int)_reader.TokenStartIndex + 1, _reader.ValueSpan.Length);
            var field = JsonValues.TryFind<FieldDescriptor>(_reader, fields, out var known) ? known : throw Unknown(message);
            var bit = 1UL << field.Index;
            if ((named & bit) != 0)
            {
                throw new JsonRefusedException($"{field.JsonName} is there twice", "give it once, by one of its names");
            }

            named |= bit;
            _reader.Read();
            if (_reader.TokenType == JsonTokenType.Null)
            {
                continue;
            }

            if (field.RealContainingOneof is { } oneof)
            {
                RefuseRival(oneof, set);
            }

            set |= bit;
            if (field.IsRepeated)
            {
                ReadList(field);
            }
            else
            {
                WriteTag(field, JsonNames.WireTypeOf(field));
                ReadValue(field);
            }
        }

        _path.Leave();
    }

    private void ReadList(FieldDescriptor field)
    {
        if (_reader.TokenType != JsonTokenType.StartArray)
        {
            throw new JsonRefusedException($"{JsonValues.Quoted(_reader)} is no list", "give a list: […]");
        }

        _reader.Read();
        var type = JsonNames.WireTypeOf(field);

        // The library calls lists of messages packed, too.
        var packed = field.IsPacked && type != WireFormat.WireType.LengthDelimited;
        if (packed && _reader.TokenType != JsonTokenType.EndArray)
        {
            WriteTag(field, WireFormat.WireType.LengthDelimited);
            var start = _output.Begin();
            ReadItems(field, null);
            _output.End(start);
        }
        else
        {
            ReadItems(field, type);
        }
    }

    // Each behind a tag, if there is one to write.
    private void ReadItems(FieldDescriptor field, WireFormat.WireType? tag)
    {
        for (; _reader.TokenType != JsonTokenType.EndArray; _reader.Read())
        {
            _path.NextItem();
            if (tag is { } type)
            {
                WriteTag(field, type);
            }

            ReadValue(field);
        }
    }

    private void ReadValue(FieldDescriptor field)
    {
        switch (field.FieldType)
        {
            case FieldType.Message:
                if (_reader.TokenType != JsonTokenType.StartObject)
                {
                    throw new JsonRefusedException(
                        $"{JsonValues.Quoted(_reader)} is no object", $"{field.MessageType.Name} is one: {{…}}");
                }

                var start = _output.Begin();
                ReadObject(field.MessageType);
                _output.End(start);
                break;
            case FieldType.Float:
                _output.Fixed32(BitConverter.SingleToUInt32Bits(JsonValues.Real<float>(_reader, _output.Buffer, "float")));
                break;
            case FieldType.Double:
                _output.Fixed64(BitConverter.DoubleToUInt64Bits(JsonValues.Real<double>(_reader, _output.Buffer, "double")));
                break;
            case FieldType.Bool:
                _output.Varint(JsonValues.Bool(_reader) ? 1u : 0u);
                break;
            case FieldType.Enum:
                _output.Varint(JsonValues.Enum(_reader, _output.Buffer, field.EnumType));
                break;
            case FieldType.Int32:
                _output.Varint(JsonValues.Whole(_reader, _output.Buffer, int.MinValue, int.MaxValue));
                break;
            case FieldType.UInt32:
                _output.Varint(JsonValues.Whole(_reader, _output.Buffer, 0, uint.MaxValue));
                break;
            case FieldType.Int64:
                _output.Varint(JsonValues.Whole(_reader, _output.Buffer, long.MinValue, long.MaxValue));
                break;
            case FieldType.UInt64:
                _output.Varint(JsonValues.Whole(_reader, _output.Buffer, 0, ulong.MaxValue));
                break;
            case FieldType.String:
                JsonValues.WriteString(_reader, _output);
                break;
            case FieldType.Bytes:
                JsonValues.WriteBytes(_reader, _output);
                break;
            default:
                throw JsonNames.Unsupported(field);
        }
    }

    private void WriteTag(FieldDescriptor field, WireFormat.WireType type) =>
        _output.Varint(WireFormat.MakeTag(field.FieldNumber, type));

    private static JsonRefusedException Unknown(MessageDescriptor message)
    {
        var fields = message.Fields.InFieldNumberOrder();
        return new JsonRefusedException(
            $"{message.Name} has no such field",
            fields.Count == 0 ? "it has none" : $"it has {JsonValues.AFew([.. fields.Select(field => field.JsonName)])}");
    }

    private static void RefuseRival(OneofDescriptor oneof, ulong set)
    {
        for (var index = 0; index < oneof.Fields.Count; index++)
        {
            var rival = oneof.Fields[index];
            if ((set >> rival.Index & 1) != 0)
            {
                throw new JsonRefusedException($"{rival.JsonName} is there too", $"give one field of the oneof {oneof.Name}");
            }
        }
    }

    private readonly EncodingException Refused(JsonRefusedException refused) =>
        new($"The text is no {_message.Name}: {_path.In(_text)}{refused.Message}.", refused);

    private readonly EncodingException Malformed(JsonException invalid)
    {
        // The framework repeats the whole of an invalid literal: it may be a key without a quotation mark.
        var why = invalid.Message;
        var literal = why.IndexOf("' is an invalid JSON literal", StringComparison.Ordinal);
        why = literal < 0 ? why : $"a value{why[(literal + 1)..]}";
        return new EncodingException($"The text is no {_message.Name}: {_path.In(_text)}it is no JSON: {why}", invalid);
    }
}
