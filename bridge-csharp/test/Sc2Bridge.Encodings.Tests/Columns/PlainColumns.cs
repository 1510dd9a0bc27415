using System.Collections;
using System.Runtime.InteropServices;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Sc2Bridge.Encodings.Tests.Columns;

/// <summary>A simple implementation of columns, from the parsed message and its descriptor. The writer must agree with it.</summary>
internal static class PlainColumns
{
    private const int XBit = 61;

    /// <summary>A serialized observation as columns.</summary>
    public static V1.Columns Of(byte[] observation)
    {
        var rest = ResponseObservation.Parser.ParseFrom(observation);
        var units = rest.Observation?.RawData?.Units.ToArray() ?? [];
        rest.Observation?.RawData?.Units.Clear();
        var columns = new V1.Columns { Rest = rest, Count = (uint)units.Length };
        if (units.Length == 0)
        {
            return columns;
        }

        columns.Present = Bytes(Fill(columns, units, Unit.Descriptor));
        foreach (var list in Unit.Descriptor.Fields.InFieldNumberOrder().Where(field => field.IsRepeated))
        {
            var lists = units.Select(unit => ((IList)list.Accessor.GetValue(unit)).Cast<object>().ToArray()).ToArray();
            if (lists.Any(items => items.Length > 0))
            {
                var field = V1.Columns.Descriptor.FindFieldByNumber(list.FieldNumber);
                field.Accessor.SetValue(columns, List(field.MessageType, list, lists));
            }
        }

        return columns;
    }

    private static IMessage List(MessageDescriptor type, FieldDescriptor list, object[][] lists)
    {
        var message = type.Parser.ParseFrom(ByteString.Empty);
        var items = lists.SelectMany(item => item).ToArray();
        if (list.FieldType == FieldType.UInt32)
        {
            ((V1.BuffColumns)message).BuffId = Bytes(items.Cast<uint>().ToArray());
        }
        else
        {
            var present = Fill(message, [.. items.Cast<IMessage>()], list.MessageType);
            type.FindFieldByName("present").Accessor.SetValue(
                message, Bytes(present.Select(bits => (ushort)(bits | bits >> (XBit - 13))).ToArray()));
        }

        uint at = 0;
        type.FindFieldByName("offsets").Accessor.SetValue(
            message, Bytes<uint>([0, .. lists.Select(each => at += (uint)each.Length)]));
        return message;
    }

    // Sets the columns that any row has. Returns each row's bits.
    private static ulong[] Fill(IMessage columns, IMessage[] rows, MessageDescriptor type)
    {
        var present = new ulong[rows.Length];
        foreach (var field in type.Fields.InFieldNumberOrder().Where(field => !field.IsRepeated))
        {
            var vector = new List<byte>();
            for (var row = 0; row < rows.Length; row++)
            {
                if (field.Accessor.HasValue(rows[row]) && IsNamed(field, rows[row]))
                {
                    present[row] |= 1UL << field.FieldNumber | Parts(field, rows[row]);
                    vector.AddRange(Value(field, field.Accessor.GetValue(rows[row])));
                }
                else
                {
                    vector.AddRange(new byte[Value(field, null).Length]);
                }
            }

            if (present.Any(bits => (bits >> field.FieldNumber & 1) != 0))
            {
                columns.Descriptor.FindFieldByNumber(field.FieldNumber).Accessor.SetValue(
                    columns, ByteString.CopyFrom([.. vector]));
            }
        }

        return present;
    }

    private static bool IsNamed(FieldDescriptor field, IMessage row) =>
        field.FieldType != FieldType.Enum || field.EnumType.FindValueByNumber(
            Convert.ToInt32(field.Accessor.GetValue(row), null)) is not null;

    private static ulong Parts(FieldDescriptor field, IMessage row) =>
        field.FieldType == FieldType.Message && field.Accessor.GetValue(row) is Point point
            ? (point.HasX ? 1UL : 0) << XBit | (point.HasY ? 2UL : 0) << XBit | (point.HasZ ? 4UL : 0) << XBit
            : 0;

    private static byte[] Value(FieldDescriptor field, object? value) => field.FieldType switch
    {
        FieldType.Float => BitConverter.GetBytes((float)(value ?? 0f)),
        FieldType.Int32 => BitConverter.GetBytes((int)(value ?? 0)),
        FieldType.UInt32 => BitConverter.GetBytes((uint)(value ?? 0u)),
        FieldType.UInt64 => BitConverter.GetBytes((ulong)(value ?? 0ul)),
        FieldType.Bool => [(bool)(value ?? false) ? (byte)1 : (byte)0],
        FieldType.Enum => [(byte)Convert.ToInt32(value ?? 0, null)],
        _ => value is Point at
            ? MemoryMarshal.AsBytes<float>([at.X, at.Y, at.Z]).ToArray()
            : new byte[3 * sizeof(float)],
    };

    private static ByteString Bytes<T>(T[] values)
        where T : unmanaged => ByteString.CopyFrom(MemoryMarshal.AsBytes<T>(values));
}
