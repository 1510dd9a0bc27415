using Apache.Arrow.Types;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Tables;

/// <summary>
/// The vectors of <c>Columns</c>, or of one of its lists, as a table. Each field of the game's message has a column with its name. A
/// point has three columns. If a row lacks a field, its value is 0 and its bit in <c>present</c> is not set.
/// </summary>
internal sealed class VectorTable
{
    // The limit for one observation. Real observations have about 1,000 units.
    private const int MostRows = 1 << 15;

    private readonly (TableColumn Column, int Number, int Part, int Width)[] _columns;
    private readonly NumberColumn<ulong>? _unitTag;
    private readonly (int Start, int Length)[] _vectors = new (int, int)[V1.Columns.RestFieldNumber + 1];

    private VectorTable(string name, NumberColumn<ulong>? unitTag, IEnumerable<(TableColumn, int, int, int)> columns)
    {
        _unitTag = unitTag;
        _columns = [.. columns];
        Table = new Table(name, [.. unitTag is null ? (TableColumn[])[] : [unitTag], .. _columns.Select(column => column.Column)]);
    }

    internal Table Table { get; }

    internal ReadOnlySpan<byte> Vector(ReadOnlySpan<byte> bytes, int number) =>
        bytes.Slice(_vectors[number].Start, _vectors[number].Length);

    internal static VectorTable OfUnits() => new("units", null,
        [.. ColumnsOf(SC2APIProtocol.Unit.Descriptor), (new NumberColumn<ulong>("present", UInt64Type.Default), V1.Columns.PresentFieldNumber, 0, 1)]);

    /// <summary>The table of a repeated field of <c>Unit</c>, with the unit's tag in each row.</summary>
    /// <param name="field">The repeated field.</param>
    internal static VectorTable OfList(FieldDescriptor field)
    {
        const int present = V1.OrderColumns.PresentFieldNumber;
        return new(field.Name, new NumberColumn<ulong>("unit_tag", UInt64Type.Default), field.FieldType == FieldType.Message
            ? [.. ColumnsOf(field.MessageType), (new NumberColumn<ushort>("present", UInt16Type.Default), present, 0, 1)]
            : [(new NumberColumn<uint>("buff_id", UInt32Type.Default), V1.BuffColumns.BuffIdFieldNumber, 0, 1)]);
    }

    /// <summary>Adds the rows of serialized columns.</summary>
    /// <param name="bytes">The message that contains the columns.</param>
    /// <param name="start">The start of the columns in the message.</param>
    /// <param name="length">The length of the columns in bytes.</param>
    /// <param name="rows">The number of rows; negative if the columns contain their count.</param>
    /// <returns>The number of rows.</returns>
    internal int Add(ReadOnlySpan<byte> bytes, int start, int length, int rows = -1)
    {
        Array.Clear(_vectors);
        var reader = new WireReader(bytes, start, length);
        while (reader.Next())
        {
            if (reader.Field == V1.Columns.CountFieldNumber)
            {
                rows = (int)reader.VarintValue;
            }
            else
            {
                _vectors[reader.Field] = (reader.ContentStart, reader.Content.Length);
            }
        }

        rows = Math.Max(rows, 0);
        CheckRows(rows);
        foreach (var (column, number, part, width) in _columns)
        {
            var vector = Vector(bytes, number);
            if (vector.Length == 0)
            {
                column.AddEmpty(rows);
            }
            else
            {
                column.Add(vector, part, width);
            }
        }

        return rows;
    }

    /// <summary>Adds the items of one repeated field of all units.</summary>
    /// <param name="bytes">The message that contains the list of items.</param>
    /// <param name="list">The position of the list. Its length is 0 if no unit has items.</param>
    /// <param name="tags">The units' tags.</param>
    internal int AddItems(ReadOnlySpan<byte> bytes, (int Start, int Length) list, ReadOnlySpan<byte> tags)
    {
        if (list.Length == 0)
        {
            return 0;
        }

        // The offsets give the number of items. They are serialized after the items.
        var reader = new WireReader(bytes, list.Start, list.Length);
        ReadOnlySpan<byte> offsets = default;
        while (reader.Next())
        {
            if (reader.Field == V1.OrderColumns.OffsetsFieldNumber)
            {
                offsets = reader.Content;
            }
        }

        var starts = System.Runtime.InteropServices.MemoryMarshal.Cast<byte, int>(offsets);
        CheckRows(starts[^1]);
        for (var unit = 0; unit < starts.Length - 1; unit++)
        {
            _unitTag!.Fill(BitConverter.ToUInt64(tags[(unit * sizeof(ulong))..]), starts[unit + 1] - starts[unit]);
        }

        return Add(bytes, list.Start, list.Length, starts[^1]);
    }

    /// <summary>The position of a list in the columns that were added last.</summary>
    internal (int Start, int Length) PositionOf(int number) => _vectors[number];

    private static void CheckRows(int rows)
    {
        if (rows > MostRows)
        {
            throw new RecordingException(
                $"an observation has {rows} units or list items, and the limit is {MostRows}: record the match again");
        }
    }

    private static IEnumerable<(TableColumn, int, int, int)> ColumnsOf(MessageDescriptor message) =>
        from field in message.Fields.InFieldNumberOrder()
        where !field.IsRepeated
        from column in field.FieldType == FieldType.Message
            ? "xyz".Select((part, i) => (
                (TableColumn)new NumberColumn<float>(field.Name.StartsWith("target", StringComparison.Ordinal) ? $"target_{part}" : $"{part}", FloatType.Default),
                field.FieldNumber, i, 3))
            : [(ColumnOf(field, field.Name), field.FieldNumber, 0, 1)]
        select column;

    /// <summary>Makes the column for a field with a numeric type.</summary>
    internal static TableColumn ColumnOf(FieldDescriptor field, string name) => field.FieldType switch
    {
        FieldType.Float => new NumberColumn<float>(name, FloatType.Default),
        FieldType.Int32 => new NumberColumn<int>(name, Int32Type.Default),
        FieldType.UInt32 => new NumberColumn<uint>(name, UInt32Type.Default),
        FieldType.UInt64 => new NumberColumn<ulong>(name, UInt64Type.Default),
        FieldType.Bool => new NumberColumn<bool>(name, BooleanType.Default),
        FieldType.Enum => new NumberColumn<byte>(name, UInt8Type.Default),
        _ => throw new NotSupportedException($"the type of {field.FullName} is not supported as a column"),
    };
}
