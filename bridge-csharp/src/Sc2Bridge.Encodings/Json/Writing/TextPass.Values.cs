using System.Runtime.CompilerServices;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <content>Single values: numbers, enums, texts and bytes.</content>
internal sealed partial class TextPass
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Varint(TextField field, TextKind kind, ulong value, ref byte target, int to)
    {
        if (field.IsImplicit && (kind <= TextKind.LastNarrow ? (uint)value : value) == 0)
        {
            return to;
        }

        switch (kind)
        {
            case TextKind.Bool:
                return field.Values[value != 0 ? 1 : 0].CopyTo(ref target, to);
            case TextKind.Enum:
                return Enum(field, (int)value, ref target, to);
            case TextKind.UInt32:
                return TextNumbers.Write(ref target, field.Name.CopyTo(ref target, to), (uint)value);
            case TextKind.Int32:
                return TextNumbers.Write(ref target, field.Name.CopyTo(ref target, to), (int)value);
            default:
                return Quoted(kind, ref target, field.Name.CopyTo(ref target, to), value);
        }
    }

    private static int Enum(TextField field, int number, ref byte target, int to)
    {
        if ((uint)number < (uint)field.Values.Length && field.Values[number].Exists)
        {
            return field.Values[number].CopyTo(ref target, to);
        }

        if (field.IsClosed)
        {
            return to;
        }

        // In a list the comma is there already.
        to = field.Kind is TextKind.Enum ? field.Name.CopyTo(ref target, to) : to + 1;
        return TextNumbers.Write(ref target, to, number);
    }

    private static int Quoted(TextKind kind, ref byte target, int to, ulong value)
    {
        Unsafe.Add(ref target, to) = (byte)'"';
        to = kind is TextKind.Int64
            ? TextNumbers.Write(ref target, to + 1, (long)value)
            : TextNumbers.WriteMany(ref target, to + 1, value);
        Unsafe.Add(ref target, to) = (byte)'"';
        return to + 1;
    }

    private int Quoted(TextField field, int at, int length, int to)
    {
        var isText = field.Element is TextKind.Text;
        Reserve(to, (isText ? TextStrings.LongestText(length) : TextStrings.LongestBytes(length)) + Slack);
        var bytes = _source.AsSpan(at, length);
        var room = _target.AsSpan(to);
        return to + (isText ? TextStrings.WriteText(bytes, room) : TextStrings.WriteBytes(bytes, room));
    }
}
