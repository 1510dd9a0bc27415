using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>
/// Converts a message to JSON in one pass. The pass cannot convert a message with fields that are out of order, set twice or in the same
/// oneof, or with a list in several parts. Google.Protobuf parses and serializes such a message, which puts the fields in order, and a
/// second pass converts the result. One instance is used for many messages. Not thread-safe.
/// </summary>
internal sealed partial class TextPass : TextOutput
{
    private readonly ListCache? _list;
    private readonly bool _inOrder;
    private byte[] _source = [];
    private int _position;
    private int _depth;

    /// <param name="list">The cache of the list whose unchanged items are copied; null for no cache.</param>
    public TextPass(ListCache? list) => _list = list;

    /// <summary>Creates a pass for a message whose fields Google.Protobuf has put in order.</summary>
    /// <param name="depth">The number of messages that contain this message.</param>
    public TextPass(int depth) => (_inOrder, _depth) = (true, depth);

    /// <summary>Appends a message's JSON.</summary>
    /// <param name="type">The message type.</param>
    /// <param name="source">The message, followed by <see cref="WireBytes.Padding"/> zeros.</param>
    /// <param name="length">The message's size in bytes.</param>
    /// <param name="output">The buffer to which the JSON is appended. No other thread may use it.</param>
    /// <exception cref="EncodingException">
    /// The message is malformed. <paramref name="output"/> then contains incomplete text.
    /// </exception>
    public void Write(TextMessage type, byte[] source, int length, MessageBuffer output)
    {
        (_source, _position) = (source, 0);
        Begin(output);
        var depth = _depth;
        try
        {
            var end = WriteMessage(type, 0, length, MessageBuffer.Headroom + output.Length);
            Finish(end);
        }
        finally
        {
            _depth = depth;
        }
    }

    // Expects fields in ascending order. Not inlined, because the loop is long and needs the registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int WriteMessage(TextMessage type, int at, int end, int to)
    {
        if (++_depth > WireBytes.Deepest)
        {
            throw new EncodingException($"messages are nested deeper than {WireBytes.Deepest}", at);
        }

        ref var source = ref MemoryMarshal.GetArrayDataReference(_source);
        var fields = type.Fields;
        var (begin, open, start) = (at, to, at);
        var (last, oneofs, inOrder) = (0, 0ul, true);
        while (at < end)
        {
            start = at;
            uint tag = Unsafe.Add(ref source, at++);
            if (tag >= 0x80)
            {
                uint next = Unsafe.Add(ref source, at++);
                tag = (tag & 0x7F) | (next << 7);
                if (next >= 0x80)
                {
                    tag = WireBytes.LongTag(ref source, start, out var length);
                    at = start + length;
                }
            }

            if (tag >= (uint)fields.Length || fields[tag] is not { } field)
            {
                at = WireBytes.Skip(ref source, tag, at, end);
                continue;
            }

            inOrder &= field.Number > last && (oneofs & field.OneofBit) == 0;
            (last, oneofs) = (field.Number, oneofs | field.OneofBit);
            to = !field.IsList ? WriteValue(field, at, end, to)
                : field.Message is null ? WriteValues(field, at, end, to)
                : WriteMessages(field, at, end, to);
            at = _position;
        }

        if (at != end)
        {
            throw new EncodingException("a field runs past the end of its message", start);
        }

        _depth--;
        return inOrder ? Close(open, to, (byte)'{', (byte)'}') : PutInOrder(type, begin, end, open);
    }

    // Parsing merges fields that are set twice. Serializing sorts the fields.
    private int PutInOrder(TextMessage type, int begin, int end, int to)
    {
        if (_inOrder)
        {
            throw new EncodingException($"the protobuf library wrote the fields of {type.Name} out of order", begin);
        }

        _list?.ClearFrom(begin);
        IMessage message;
        try
        {
            message = type.Parser.ParseFrom(_source.AsSpan(begin, end - begin));
        }
        catch (InvalidProtocolBufferException refused)
        {
            throw new EncodingException($"{type.Name} cannot be read ({refused.Message})", begin);
        }

        var size = message.CalculateSize();
        var bytes = new byte[size + WireBytes.Padding];
        message.WriteTo(bytes.AsSpan(0, size));
        Finish(to);
        new TextPass(_depth).Write(type, bytes, size, Output);
        to = MessageBuffer.Headroom + Output.Length;
        Reserve(to, Slack);
        return to;
    }

    // Writes the name and the value of a field; in a list, a comma and the value.
    private int WriteValue(TextField field, int at, int end, int to)
    {
        ReserveSlack(to);
        ref var source = ref MemoryMarshal.GetArrayDataReference(_source);
        ref var target = ref MemoryMarshal.GetArrayDataReference(Target);
        switch (field.Type)
        {
            case FieldType.Float:
                var single = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref source, at));
                _position = at + sizeof(uint);
                return single == 0 && field.IsImplicit
                    ? to
                    : TextNumbers.Float(ref target, field.Prefix.CopyTo(ref target, to), single);
            case FieldType.Double:
                var bits = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref source, at));
                _position = at + sizeof(ulong);
                return bits == 0 && field.IsImplicit
                    ? to
                    : TextNumbers.Double(ref target, field.Prefix.CopyTo(ref target, to), bits);
            case FieldType.Message:
                var size = WireBytes.Length(ref source, ref at, end, field.IsList ? 0 : field.TagLength);
                to = WriteMessage(field.Message!, at, at + size, field.Prefix.CopyTo(ref target, to));
                _position = at + size;
                return to;
            case FieldType.String or FieldType.Bytes:
                var length = WireBytes.Length(ref source, ref at, end);
                _position = at + length;
                return length == 0 && field.IsImplicit
                    ? to
                    : WriteQuoted(field, at, length, field.Prefix.CopyTo(ref target, to));
            default:
                var value = WireBytes.Varint(ref source, ref at);
                _position = at;
                return TextVarints.Write(field, value, ref target, to);
        }
    }

    private int WriteQuoted(TextField field, int at, int length, int to)
    {
        var isText = field.Type == FieldType.String;
        Reserve(to, (isText ? TextStrings.LongestText(length) : TextStrings.LongestBytes(length)) + Slack);
        var bytes = _source.AsSpan(at, length);
        var room = Target.AsSpan(to);
        return to + (isText ? TextStrings.WriteText(bytes, room) : TextStrings.WriteBytes(bytes, room));
    }
}
