using System.Runtime.CompilerServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>
/// Reads messages into table rows. It follows protobuf's rules: fields come in any order; if a non-repeated field comes twice,
/// its last value counts; points that come twice are merged; unknown fields and unknown enum values are skipped.
/// </summary>
/// <param name="units">The table for units.</param>
/// <param name="lists">The tables for the items of the units' lists.</param>
internal sealed unsafe class RowReader(RowTable units, ListTable[] lists) : PointerReader
{
    private const int PointLength = 15;
    private const byte XTag = 0x0D;
    private const byte YTag = 0x15;
    private const byte ZTag = 0x1D;

    private readonly ListTable?[] _lists = ByNumber(lists);

    /// <summary>Reads units into the rows from 0 on.</summary>
    /// <param name="observation">The bytes of the observation.</param>
    /// <param name="runs">The byte ranges with units. Each contains only complete <c>units</c> fields.</param>
    /// <exception cref="MalformedMessageException">A unit is malformed.</exception>
    public void ReadUnits(ReadOnlySpan<byte> observation, IReadOnlyList<Range> runs)
    {
        fixed (byte* start = observation)
        {
            Begin(start, observation.Length);
            var columns = units.Columns;
            var present = (ulong*)columns[0];
            var any = 0UL;
            var row = 0;
            for (var i = 0; i < runs.Count; i++)
            {
                var at = start + runs[i].Start.Value;
                var end = start + runs[i].End.Value;
                while (at < end)
                {
                    at = ReadLength(ReadNumber(at, end), end);
                    var next = at + Value;
                    var mask = ReadRow(units.Layout, columns, row, at, next);
                    present[row++] = mask;
                    any |= mask;
                    at = next;
                }
            }

            units.PresentFields = any;
        }
    }

    private static ListTable?[] ByNumber(ListTable[] lists)
    {
        var byNumber = new ListTable?[RowLayout.FieldLimit];
        foreach (var list in lists)
        {
            byNumber[list.Number] = list;
        }

        return byNumber;
    }

    private ulong ReadRow(RowLayout layout, nint* columns, nint row, byte* at, byte* end)
    {
        var fields = layout.Fields;
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

            var field = tag < RowLayout.FieldLimit << 3 ? fields[tag] : RowField.Unknown;
            var number = (int)(tag >> 3);
            if (field == RowField.Float)
            {
                if (end - at < sizeof(float))
                {
                    throw CutOff(number, at);
                }

                *(uint*)(columns[number] + row * sizeof(float)) = Unsafe.ReadUnaligned<uint>(at);
                at += sizeof(float);
                mask |= 1UL << number;
                continue;
            }

            if (field == RowField.Unknown)
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

            switch (field)
            {
                case RowField.Word:
                    *(uint*)(columns[number] + row * sizeof(uint)) = (uint)value;
                    break;
                case RowField.Flag:
                    *(byte*)(columns[number] + row) = (byte)(value != 0 ? 1 : 0);
                    break;
                case RowField.Enum:
                    if ((uint)value >= 32 || (layout.DefinedValues[number] >> (int)value & 1) == 0)
                    {
                        continue;
                    }

                    *(byte*)(columns[number] + row) = (byte)value;
                    break;
                case RowField.Long:
                    *(ulong*)(columns[number] + row * sizeof(ulong)) = value;
                    mask = ClearOtherOneofFields(layout, columns, row, number, mask);
                    break;
                case RowField.Number:
                    _lists[number]!.Add((int)row, (uint)value);
                    continue;
                default:
                    if (value > (ulong)(end - at))
                    {
                        throw TooLong(value, at, end);
                    }

                    mask = ReadInner(layout, field, number, mask, columns, row, at, at + value);
                    at += value;
                    continue;
            }

            mask |= 1UL << number;
        }

        return mask;
    }

    private ulong ReadInner(
        RowLayout layout, RowField field, int number, ulong mask, nint* columns, nint row, byte* at, byte* end)
    {
        switch (field)
        {
            case RowField.Point:
                mask = ClearOtherOneofFields(layout, columns, row, number, mask);
                return mask | 1UL << number | ReadPoint((uint*)(columns[number] + row * 3 * sizeof(float)), at, end);
            case RowField.Item:
                ReadItem(_lists[number]!, row, at, end);
                return mask;
            default:
                while (at < end)
                {
                    at = ReadNumber(at, end);
                    _lists[number]!.Add((int)row, (uint)Value);
                }

                return mask;
        }
    }

    // The last field of a oneof in the message counts, so it clears the other fields of the oneof.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong ClearOtherOneofFields(RowLayout layout, nint* columns, nint row, int number, ulong mask)
    {
        var others = layout.OneofFields & ~(1UL << number) & mask;
        return (layout.OneofFields >> number & 1) == 0 || others == 0
            ? mask
            : ClearFields(layout, columns, row, others, mask);
    }

    private static ulong ClearFields(RowLayout layout, nint* columns, nint row, ulong others, ulong mask)
    {
        foreach (var number in layout.Numbers)
        {
            if ((others >> number & 1) != 0)
            {
                var size = layout.Sizes[number];
                new Span<byte>((void*)(columns[number] + row * size), size).Clear();
            }
        }

        return mask & ~others & ~RowLayout.PartBits;
    }

    private void ReadItem(ListTable list, nint unit, byte* at, byte* end)
    {
        var row = list.Add((int)unit);
        var items = list.Items;
        var mask = ReadRow(items.Layout, items.Columns, row, at, end);
        items.PresentFields |= mask;
        ((ushort*)items.Columns[0])[row] = ListTable.Present(mask);
    }

    private ulong ReadPoint(uint* to, byte* at, byte* end)
    {
        if (end - at == PointLength && at[0] == XTag && at[5] == YTag && at[10] == ZTag)
        {
            to[0] = Unsafe.ReadUnaligned<uint>(at + 1);
            to[1] = Unsafe.ReadUnaligned<uint>(at + 6);
            to[2] = Unsafe.ReadUnaligned<uint>(at + 11);
            return RowLayout.PartBits;
        }

        var mask = 0UL;
        while (at < end)
        {
            at = ReadTag(at, end);
            var tag = (uint)Value;
            if (tag is XTag or YTag or ZTag)
            {
                if (end - at < sizeof(float))
                {
                    throw CutOff((int)(tag >> 3), at);
                }

                var part = (int)(tag >> 3) - 1;
                to[part] = Unsafe.ReadUnaligned<uint>(at);
                mask |= 1UL << (RowLayout.XBit + part);
                at += sizeof(float);
            }
            else
            {
                at = Skip(tag, at, end);
            }
        }

        return mask;
    }
}
