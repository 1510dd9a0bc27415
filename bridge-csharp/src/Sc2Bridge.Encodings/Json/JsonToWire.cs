using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json;

/// <summary>
/// Converts proto3 JSON (https://protobuf.dev/programming-guides/json) to protobuf's wire format without intermediate objects.
/// <see cref="Utf8JsonReader"/> returns the tokens, and the descriptors give their types.
/// </summary>
/// <remarks>
/// A nested message's length precedes its content. One byte is reserved for the length. If the length needs more bytes, the content is moved.
/// Fields are written in the order of the text.
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

    /// <summary>Converts one message.</summary>
    /// <param name="utf8">The whole text, which must be valid UTF-8.</param>
    /// <param name="message">The expected type.</param>
    /// <param name="output">The wire bytes are appended. After an error, the buffer contains a part of them.</param>
    /// <exception cref="EncodingException">The text is not a valid message of this type.</exception>
    public static void Write(ReadOnlySpan<byte> utf8, MessageDescriptor message, MessageBuffer output)
    {
        var conversion = new JsonToWire(utf8, message, output);
        try
        {
            conversion.ReadText();
        }
        catch (JsonException invalid)
        {
            throw conversion.Malformed(invalid);
        }
        catch (JsonRefusedException refused)
        {
            throw conversion.Refused(refused);
        }
    }

    private void ReadText()
    {
        _reader.Read();
        if (_reader.TokenType != JsonTokenType.StartObject)
        {
            throw new JsonRefusedException($"{JsonValues.Quoted(_reader)} is not an object", "give an object: {…}");
        }

        ReadObject(_message);
        _reader.Read();
    }

    // Reads an object. The opening brace was read before; the closing brace is read here.
    private void ReadObject(MessageDescriptor message)
    {
        _path.Enter();
        var fields = JsonNames.FieldsOf(message);
        var (namedFields, setFields) = (0UL, 0UL);
        while (_reader.Read() && _reader.TokenType == JsonTokenType.PropertyName)
        {
            _path.SetField((int)_reader.TokenStartIndex + 1, _reader.ValueSpan.Length);
            var field = JsonValues.TryFind<FieldDescriptor>(_reader, fields, out var known) ? known : throw Unknown(message);
            var bit = 1UL << field.Index;
            if ((namedFields & bit) != 0)
            {
                throw new JsonRefusedException($"{field.JsonName} is set twice", "give it once, by one of its names");
            }

            namedFields |= bit;
            _reader.Read();
            if (_reader.TokenType == JsonTokenType.Null)
            {
                continue;
            }

            if (field.RealContainingOneof is { } oneof)
            {
                RefuseSecondOf(oneof, setFields);
            }

            setFields |= bit;
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
            throw new JsonRefusedException($"{JsonValues.Quoted(_reader)} is not a list", "give a list: […]");
        }

        _reader.Read();
        var type = JsonNames.WireTypeOf(field);

        // IsPacked is also true for lists of messages.
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

    // Writes each item, with a tag before it if a wire type is given.
    private void ReadItems(FieldDescriptor field, WireFormat.WireType? tagType)
    {
        for (; _reader.TokenType != JsonTokenType.EndArray; _reader.Read())
        {
            _path.NextItem();
            if (tagType is { } type)
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
                        $"{JsonValues.Quoted(_reader)} is not an object", $"give a {field.MessageType.Name}: {{…}}");
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
            fields.Count == 0 ? "it has no fields" : $"it has {JsonValues.ShortList([.. fields.Select(field => field.JsonName)])}");
    }

    private static void RefuseSecondOf(OneofDescriptor oneof, ulong setFields)
    {
        for (var index = 0; index < oneof.Fields.Count; index++)
        {
            var other = oneof.Fields[index];
            if ((setFields >> other.Index & 1) != 0)
            {
                throw new JsonRefusedException($"{other.JsonName} is set too", $"give one field of the oneof {oneof.Name}");
            }
        }
    }

    private readonly EncodingException Refused(JsonRefusedException refused) =>
        new($"The text is not a valid {_message.Name}: {_path.Prefix(_text)}{refused.Message}.", refused);

    private readonly EncodingException Malformed(JsonException invalid)
    {
        // The framework's message repeats the whole invalid literal. It may be a secret that was written without quotation marks.
        var why = invalid.Message;
        var literal = why.IndexOf("' is an invalid JSON literal", StringComparison.Ordinal);
        why = literal < 0 ? why : $"a value{why[(literal + 1)..]}";
        return new EncodingException($"The text is not a valid {_message.Name}: {_path.Prefix(_text)}it is not JSON: {why}", invalid);
    }
}
