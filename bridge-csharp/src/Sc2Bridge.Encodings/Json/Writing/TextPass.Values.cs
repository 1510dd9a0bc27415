using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <content>Values: numbers, enums, texts, bytes and messages.</content>
internal sealed partial class TextPass
{
    // Behind its name, or in a list behind a comma.
    private int Value(TextField field, int at, int end, int to)
    {
        ReserveSlack(to);
        ref var source = ref MemoryMarshal.GetArrayDataReference(_source);
        ref var target = ref MemoryMarshal.GetArrayDataReference(_target);
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
                to = Message(field.Message!, at, at + size, field.Prefix.CopyTo(ref target, to));
                _position = at + size;
                return to;
            case FieldType.String or FieldType.Bytes:
                var length = WireBytes.Length(ref source, ref at, end);
                _position = at + length;
                return length == 0 && field.IsImplicit
                    ? to
                    : Quoted(field, at, length, field.Prefix.CopyTo(ref target, to));
            default:
                var value = WireBytes.Varint(ref source, ref at);
                _position = at;
                return Varint(field, value, ref target, to);
        }
    }

    private static int Varint(TextField field, ulong value, ref byte target, int to)
    {
        var isNarrow = field.Type is FieldType.Enum or FieldType.Int32 or FieldType.UInt32;
        if (field.IsImplicit && (isNarrow ? (uint)value : value) == 0)
        {
            return to;
        }

        switch (field.Type)
        {
            case FieldType.Bool:
                return field.Values[value != 0 ? 1 : 0].CopyTo(ref target, to);
            case FieldType.Enum:
                return Enum(field, (int)value, ref target, to);
            case FieldType.UInt32:
                return TextNumbers.Whole(ref target, field.Prefix.CopyTo(ref target, to), (uint)value);
            case FieldType.Int32:
                return TextNumbers.Whole(ref target, field.Prefix.CopyTo(ref target, to), (int)value);
            default:
                return Quoted(field.Type, ref target, field.Prefix.CopyTo(ref target, to), value);
        }
    }

    private static int Enum(TextField field, int number, ref byte target, int to)
    {
        if ((uint)number < (uint)field.Values.Length && field.Values[number].Exists)
        {
            return field.Values[number].CopyTo(ref target, to);
        }

        // A number without a name is left out of a closed enum.
        return field.IsClosed ? to : TextNumbers.Whole(ref target, field.Prefix.CopyTo(ref target, to), number);
    }

    private static int Quoted(FieldType type, ref byte target, int to, ulong value)
    {
        Unsafe.Add(ref target, to) = (byte)'"';
        to = type == FieldType.Int64
            ? TextNumbers.Whole(ref target, to + 1, (long)value)
            : TextNumbers.Whole(ref target, to + 1, value);
        Unsafe.Add(ref target, to) = (byte)'"';
        return to + 1;
    }

    private int Quoted(TextField field, int at, int length, int to)
    {
        var isText = field.Type == FieldType.String;
        Reserve(to, (isText ? TextStrings.LongestText(length) : TextStrings.LongestBytes(length)) + Slack);
        var bytes = _source.AsSpan(at, length);
        var room = _target.AsSpan(to);
        return to + (isText ? TextStrings.WriteText(bytes, room) : TextStrings.WriteBytes(bytes, room));
    }
}
