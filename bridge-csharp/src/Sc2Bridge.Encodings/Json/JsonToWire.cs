using System.Runtime.CompilerServices;
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
internal ref partial struct JsonToWire
{
    private readonly ReadOnlySpan<byte> _text;
    private readonly MessageDescriptor _message;
    private readonly WireWriter _output;
    private Utf8JsonReader _reader;
    private Path _path;
    private int _level = -1;

    private JsonToWire(ReadOnlySpan<byte> text, MessageDescriptor message, MessageBuffer output)
    {
        _text = text;
        _message = message;
        _reader = new Utf8JsonReader(text, new JsonReaderOptions { MaxDepth = JsonReader.DeepestNesting });
        _output = new WireWriter(output);
        output.GetSpan(text.Length);
    }

    /// <summary>Reads one message.</summary>
    /// <param name="utf8">The whole text.</param>
    /// <param name="message">What it must be.</param>
    /// <param name="output">The wire bytes are appended to it, after an error some of them.</param>
    /// <exception cref="EncodingException">It is no such message.</exception>
    public static void Write(ReadOnlySpan<byte> utf8, MessageDescriptor message, MessageBuffer output)
    {
        if (!System.Text.Unicode.Utf8.IsValid(utf8))
        {
            throw new EncodingException($"The text is no {message.Name}: it is not UTF-8 {PlaceOfInvalid(utf8)}.");
        }

        var walk = new JsonToWire(utf8, message, output);
        try
        {
            walk.Whole();
        }
        catch (JsonException invalid)
        {
            throw walk.Malformed(invalid);
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
    private void ReadObject(MessageDescriptor message)
    {
        _level++;
        _path[_level] = default;
        var fields = JsonNames.FieldsOf(message);
        var (named, set) = (0UL, 0UL);
        while (_reader.Read() && _reader.TokenType == JsonTokenType.PropertyName)
        {
            _path[_level] = new Step((int)_reader.TokenStartIndex + 1, _reader.ValueSpan.Length, -1);
            var field = Find(fields) ?? throw Unknown(message);
            var bit = 1UL << field.Index;
            if ((named & bit) != 0)
            {
                throw Refused($"{field.JsonName} is there twice", "give it once, by one of its names");
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

        _level--;
    }

    private void ReadList(FieldDescriptor field)
    {
        if (_reader.TokenType != JsonTokenType.StartArray)
        {
            throw Refused($"{Quoted()} is no list", "give a list: […]");
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
            _path[_level].Place++;
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
                    throw Refused($"{Quoted()} is no object", $"{field.MessageType.Name} is one: {{…}}");
                }

                var start = _output.Begin();
                ReadObject(field.MessageType);
                _output.End(start);
                break;
            case FieldType.Float:
                _output.Fixed32(BitConverter.SingleToUInt32Bits(ReadReal<float>("float")));
                break;
            case FieldType.Double:
                _output.Fixed64(BitConverter.DoubleToUInt64Bits(ReadReal<double>("double")));
                break;
            case FieldType.Bool:
                _output.Varint(ReadBool() ? 1u : 0u);
                break;
            case FieldType.Enum:
                _output.Varint(ReadEnum(field.EnumType));
                break;
            case FieldType.Int32:
                _output.Varint(ReadWhole(int.MinValue, int.MaxValue));
                break;
            case FieldType.UInt32:
                _output.Varint(ReadWhole(0, uint.MaxValue));
                break;
            case FieldType.Int64:
                _output.Varint(ReadWhole(long.MinValue, long.MaxValue));
                break;
            case FieldType.UInt64:
                _output.Varint(ReadWhole(0, ulong.MaxValue));
                break;
            case FieldType.String:
                ReadString();
                break;
            case FieldType.Bytes:
                ReadBytes();
                break;
            default:
                throw JsonNames.Unsupported(field);
        }
    }

    private void WriteTag(FieldDescriptor field, WireFormat.WireType type) =>
        _output.Varint(WireFormat.MakeTag(field.FieldNumber, type));

    // Where the name of an object's field stands in the text, and in a list the place of what is read.
    private record struct Step(int Start, int Length, int Place);

    [InlineArray(JsonReader.DeepestNesting + 1)]
    private struct Path
    {
        private Step _first;
    }
}
