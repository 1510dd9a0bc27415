using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>The kind of a row's field on the wire, and how it is stored.</summary>
internal enum RowField : byte
{
    /// <summary>An unknown field, or a field with an unexpected wire type. It is skipped.</summary>
    Unknown,

    /// <summary>float: four bytes, copied unchanged.</summary>
    Float,

    /// <summary>int32 or uint32: a varint, stored in four bytes.</summary>
    Word,

    /// <summary>uint64: a varint, stored in eight bytes.</summary>
    Long,

    /// <summary>bool: a varint, stored in one byte.</summary>
    Flag,

    /// <summary>A closed enum: a varint, stored in one byte.</summary>
    Enum,

    /// <summary>A Point: three floats, twelve bytes.</summary>
    Point,

    /// <summary>A list's item that is a message; it becomes a row of another table.</summary>
    Item,

    /// <summary>A list's item that is a number; it becomes a row of another table.</summary>
    Number,

    /// <summary>A packed list of numbers.</summary>
    Numbers,
}

/// <summary>
/// Maps the fields of a game message to the columns of a table. The mapping comes from the descriptor, so a field that the game adds
/// gets its column as soon as the game's proto files are updated.
/// </summary>
internal sealed class RowLayout
{
    /// <summary>Field numbers must be below this limit. A row's <c>present</c> value has one bit for each field: whether it is set.</summary>
    public const int FieldLimit = 64;

    /// <summary>The bit of a point's x. The bits of y and z follow.</summary>
    public const int XBit = 61;

    /// <summary>The bits of a point's x, y and z.</summary>
    public const ulong PartBits = 7UL << XBit;

    private const int PointSize = 12;

    private readonly byte[] _fields = GC.AllocateArray<byte>(FieldLimit << 3, pinned: true);

    private RowLayout(int presentSize)
    {
        PresentSize = presentSize;
    }

    /// <summary>The size of a row's <c>present</c> value in bytes; 0 if the table has no <c>present</c> column.</summary>
    public int PresentSize { get; }

    /// <summary>The columns' field numbers.</summary>
    public int[] Numbers { get; private init; } = [];

    /// <summary>The size of a value in bytes, by field number; 0 if the field has no column.</summary>
    public int[] Sizes { get; } = new int[FieldLimit];

    /// <summary>For each field number, the defined values of its enum, as bits.</summary>
    public uint[] DefinedValues { get; } = new uint[FieldLimit];

    /// <summary>The fields that belong to a <c>oneof</c>, as bits.</summary>
    public ulong OneofFields { get; private set; }

    /// <summary>The repeated fields.</summary>
    public IReadOnlyList<FieldDescriptor> Lists { get; private init; } = [];

    /// <summary>
    /// The kinds of fields, indexed by tag, for all field numbers below <see cref="FieldLimit"/>. The memory is pinned.
    /// </summary>
    public unsafe RowField* Fields =>
        (RowField*)System.Runtime.CompilerServices.Unsafe.AsPointer(ref _fields[0]);

    /// <summary>The layout for a message type: one row for each message.</summary>
    /// <param name="message">The type. Scalars, enums and points become columns; repeated fields become lists.</param>
    /// <param name="presentSize">The size of a row's <c>present</c> value in bytes.</param>
    public static RowLayout Of(MessageDescriptor message, int presentSize)
    {
        var fields = message.Fields.InFieldNumberOrder();
        var bits = Math.Min(XBit, (presentSize * 8) - 3);
        if (fields.FirstOrDefault(field => field.FieldNumber >= bits) is { } beyond)
        {
            throw new NotSupportedException($"{beyond.FullName} has no bit in present, which has {bits} bits for fields");
        }

        var layout = new RowLayout(presentSize)
        {
            Numbers = [.. fields.Where(field => !field.IsRepeated).Select(field => field.FieldNumber)],
            Lists = [.. fields.Where(field => field.IsRepeated)],
        };
        foreach (var field in fields)
        {
            layout.Add(field);
        }

        return layout;
    }

    /// <summary>The layout for a list of numbers: one row for each number.</summary>
    /// <param name="number">The column's field number.</param>
    public static RowLayout OfNumbers(int number)
    {
        var layout = new RowLayout(presentSize: 0) { Numbers = [number] };
        layout.Sizes[number] = sizeof(uint);
        return layout;
    }

    private void Add(FieldDescriptor field)
    {
        var number = field.FieldNumber;
        if (field.IsRepeated)
        {
            if (field.FieldType == FieldType.UInt32)
            {
                Set(number, WireFormat.WireType.Varint, RowField.Number);
                Set(number, WireFormat.WireType.LengthDelimited, RowField.Numbers);
            }
            else
            {
                Set(number, WireFormat.WireType.LengthDelimited, RowField.Item);
            }

            return;
        }

        var (kind, wire, size) = field.FieldType switch
        {
            FieldType.Float => (RowField.Float, WireFormat.WireType.Fixed32, sizeof(float)),
            FieldType.Int32 or FieldType.UInt32 => (RowField.Word, WireFormat.WireType.Varint, sizeof(uint)),
            FieldType.UInt64 => (RowField.Long, WireFormat.WireType.Varint, sizeof(ulong)),
            FieldType.Bool => (RowField.Flag, WireFormat.WireType.Varint, sizeof(byte)),
            FieldType.Enum => (RowField.Enum, WireFormat.WireType.Varint, sizeof(byte)),
            FieldType.Message when field.MessageType == SC2APIProtocol.Point.Descriptor =>
                (RowField.Point, WireFormat.WireType.LengthDelimited, PointSize),
            _ => throw new NotSupportedException($"the type of {field.FullName} is not supported as a column"),
        };
        Set(number, wire, kind);
        Sizes[number] = size;
        if (kind == RowField.Enum)
        {
            DefinedValues[number] = field.EnumType.Values.Aggregate(0u, (bits, value) => bits | 1u << value.Number);
        }

        if (field.ContainingOneof is not null)
        {
            OneofFields |= 1UL << number;
        }
    }

    private void Set(int number, WireFormat.WireType type, RowField field) =>
        _fields[WireFormat.MakeTag(number, type)] = (byte)field;
}
