using System.Runtime.CompilerServices;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>Writes values that are varints on the wire: whole numbers, booleans and enums.</summary>
internal static class TextVarints
{
    public static int Write(TextField field, ulong value, ref byte target, int to)
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

        // A closed enum leaves out unknown numbers.
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
}
