using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>A column in the caller's memory. Size is the number of bytes of a value, or 0 if the column is not wanted.</summary>
internal readonly unsafe struct RowColumn(byte* data, int size)
{
    public readonly byte* Data = data;
    public readonly int Size = size;
}

/// <summary>Reads a unit into a row of columns. Fields without a column are skipped. Not thread-safe.</summary>
internal sealed unsafe class UnitReader : PointerReader
{
    private static readonly RowLayout Layout = RowLayout.Of(Unit.Descriptor, sizeof(ulong));

    private readonly RowColumn[] _columns;
    private readonly UnitShapes _shapes;
    private readonly Kind[] _kinds;
    private readonly ulong _wanted;

    /// <param name="columns">The columns by field number. 61, 62 and 63 are x, y and z.</param>
    /// <param name="shapes">Gets the shape of each unit.</param>
    public UnitReader(RowColumn[] columns, UnitShapes shapes)
    {
        (_columns, _shapes) = (columns, shapes);
        _wanted = Enumerable.Range(1, RowLayout.FieldLimit - 1).Aggregate(0UL, (bits, field) => bits | (columns[field].Size == 0 ? 0 : 1UL << field));
        _kinds = [.. Enumerable.Range(0, RowLayout.FieldLimit << 3).Select(KindOf)];
    }

    /// <summary>The size of a field's value in bytes, and whether it can also be stored in eight bytes. 0 for an unknown field.</summary>
    public static (int Own, bool CanBeWide) SizeOf(int field) => field switch
    {
        0 => (sizeof(byte), false),
        >= RowLayout.XBit => (sizeof(float), false),
        _ when Unit.Descriptor.FindFieldByNumber(field) is { IsRepeated: false, FieldType: not FieldType.Message } known =>
            (Layout.Sizes[field], known.FieldType is FieldType.Enum or FieldType.UInt32),
        _ => default,
    };

    /// <summary>Begins an observation, for errors.</summary>
    public void BeginObservation(byte* start, int length) => Begin(start, length);

    /// <summary>Reads a unit. Values that are missing become 0.</summary>
    /// <returns>The unit's shape.</returns>
    public int Read(byte* at, byte* end, long row)
    {
        _shapes.Begin();
        ref var kinds = ref MemoryMarshal.GetArrayDataReference(_kinds);
        ref var columns = ref MemoryMarshal.GetArrayDataReference(_columns);
        var start = at;
        var mask = 0UL;
        while (at < end)
        {
            uint tag = *at;
            if (tag < 0x80)
            {
                at++;
            }
            else if (end - at >= 2 && at[1] < 0x80)
            {
                tag = (tag & 0x7F) | ((uint)at[1] << 7);
                at += 2;
            }
            else
            {
                at = ReadTag(at, end);
                tag = (uint)Value;
            }

            var kind = tag < RowLayout.FieldLimit << 3 ? Unsafe.Add(ref kinds, tag) : Kind.Other;
            if (kind is Kind.Float or Kind.UnusedFour)
            {
                if (end - at < sizeof(uint))
                {
                    throw CutOff((int)(tag >> 3), at);
                }

                var field = kind == Kind.Float ? (int)(tag >> 3) : 0;
                if (field != 0)
                {
                    *((uint*)Unsafe.Add(ref columns, field).Data + row) = Unsafe.ReadUnaligned<uint>(at);
                    mask = AddFloat(field, mask);
                }

                _shapes.Add(at - start, sizeof(uint), field);

                at += sizeof(uint);
                continue;
            }

            if (kind == Kind.UnusedNumber && end - at >= sizeof(ulong))
            {
                // The number ends at the first byte without the highest bit.
                var last = ~Unsafe.ReadUnaligned<ulong>(at) & 0x8080_8080_8080_8080;
                if (last != 0)
                {
                    at += (BitOperations.TrailingZeroCount(last) >> 3) + 1;
                    continue;
                }
            }

            if (kind == Kind.Other)
            {
                at = Skip(tag, at, end);
                continue;
            }

            // All other kinds start with a varint: the value, or the length of the bytes that follow.
            ulong value;
            if (at < end && *at < 0x80)
            {
                value = *at++;
            }
            else
            {
                at = ReadNumber(at, end);
                value = Value;
            }

            var number = (int)(tag >> 3);
            var data = Unsafe.Add(ref columns, number).Data;
            switch (kind)
            {
                case Kind.UnusedNumber:
                    continue;
                case Kind.Word:
                    *((uint*)data + row) = (uint)value;
                    break;
                case Kind.Long:
                    *((ulong*)data + row) = Layout.Sizes[number] == sizeof(uint) ? (uint)value : value;
                    break;
                case Kind.Flag:
                    data[row] = (byte)(value != 0 ? 1 : 0);
                    break;
                case Kind.Enum or Kind.LongEnum:
                    if ((uint)value >= 32 || (Layout.DefinedValues[number] >> (int)value & 1) == 0)
                    {
                        continue;
                    }

                    if (kind == Kind.Enum)
                    {
                        data[row] = (byte)value;
                    }
                    else
                    {
                        *((ulong*)data + row) = (uint)value;
                    }

                    break;
                default:
                    if (value > (ulong)(end - at))
                    {
                        throw TooLong(value, at, end);
                    }

                    if (kind == Kind.Point)
                    {
                        mask = ReadPoint(start, at, at + value, row, mask);
                    }
                    else
                    {
                        _shapes.Add(at - start, value, 0);
                    }

                    at += value;
                    continue;
            }

            mask |= 1UL << number;
        }

        if ((_wanted & ~mask) is not 0 and var missing)
        {
            ClearFields(missing, row);
        }

        return _shapes.End();
    }

    // If a float comes twice, a change of the first one must not be read.
    private ulong AddFloat(int field, ulong mask)
    {
        if ((mask >> field & 1) != 0)
        {
            _shapes.Abandon();
        }

        return mask | 1UL << field;
    }

    private ulong ReadPoint(byte* unit, byte* at, byte* end, long row, ulong mask)
    {
        while (at < end)
        {
            at = ReadTag(at, end);
            var tag = (uint)Value;
            var part = (int)(tag >> 3) - Point.XFieldNumber;
            if ((tag & 7) != (uint)WireFormat.WireType.Fixed32 || part is < 0 or > 2)
            {
                at = Skip(tag, at, end);
                continue;
            }

            if (end - at < sizeof(float))
            {
                throw CutOff((int)(tag >> 3), at);
            }

            var field = _columns[RowLayout.XBit + part].Size != 0 ? RowLayout.XBit + part : 0;
            if (field != 0)
            {
                *((uint*)_columns[field].Data + row) = Unsafe.ReadUnaligned<uint>(at);
                mask = AddFloat(field, mask);
            }

            _shapes.Add(at - unit, sizeof(float), field);
            at += sizeof(float);
        }

        return mask;
    }

    private void ClearFields(ulong fields, long row)
    {
        for (; fields != 0; fields &= fields - 1)
        {
            ref readonly var column = ref _columns[BitOperations.TrailingZeroCount(fields)];
            new Span<byte>(column.Data + (row * column.Size), column.Size).Clear();
        }
    }

    private Kind KindOf(int tag)
    {
        var number = tag >> 3;
        var isWanted = _columns[number].Size != 0;
        var isWide = _columns[number].Size == sizeof(ulong);
        switch (Layout.Fields[tag])
        {
            case RowField.Float when isWanted: return Kind.Float;
            case RowField.Word when isWanted: return isWide ? Kind.Long : Kind.Word;
            case RowField.Long when isWanted: return Kind.Long;
            case RowField.Flag when isWanted: return Kind.Flag;
            case RowField.Enum when isWanted: return isWide ? Kind.LongEnum : Kind.Enum;
            case RowField.Point when _wanted >> RowLayout.XBit != 0: return Kind.Point;
        }

        return (WireFormat.WireType)(tag & 7) switch
        {
            _ when number == 0 => Kind.Other,
            WireFormat.WireType.Varint => Kind.UnusedNumber,
            WireFormat.WireType.Fixed32 => Kind.UnusedFour,
            WireFormat.WireType.LengthDelimited => Kind.UnusedBytes,
            _ => Kind.Other,
        };
    }

    // How to read the value after a tag: store it in some width, or skip it.
    private enum Kind : byte
    {
        Other,
        UnusedNumber,
        UnusedFour,
        UnusedBytes,
        Float,
        Word,
        Long,
        Flag,
        Enum,
        LongEnum,
        Point,
    }
}
