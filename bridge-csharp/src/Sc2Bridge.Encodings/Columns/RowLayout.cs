using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>What a field of a row is on the wire, and what becomes of it.</summary>
internal enum RowField : byte
{
    /// <summary>Not of the contract, or not as the contract has it: passed over.</summary>
    Unknown,

    /// <summary>float: four bytes, as they are.</summary>
    Float,

    /// <summary>int32 or uint32: a varint; four bytes.</summary>
    Word,

    /// <summary>uint64: a varint; eight bytes.</summary>
    Long,

    /// <summary>bool: a varint; one byte.</summary>
    Flag,

    /// <summary>A closed enum: a varint; one byte.</summary>
    Enum,

    /// <summary>A Point: twelve bytes.</summary>
    Point,

    /// <summary>A list's item that is a message: a row of another table.</summary>
    Item,

    /// <summary>A list's item that is a number: a row of another table.</summary>
    Number,

    /// <summary>Several such items in one field.</summary>
    Numbers,
}

/// <summary>
/// How a message of the game's becomes a row of a table: which column, and of what, a field's value goes to. Taken from
/// the descriptor, so that a field that the game gains has its column as soon as the contract has it.
/// </summary>
internal sealed class RowLayout
{
    /// <summary>Fields have lower numbers than this: <c>present</c> has a bit for each.</summary>
    public const int FieldLimit = 64;

    /// <summary>The bit of a point's x; those of y and z follow it.</summary>
    public const int XBit = 61;

    /// <summary>The bits of a point's parts.</summary>
    public const ulong PartBits = 7UL << XBit;

    private const int PointSize = 12;

    private readonly byte[] _fields = GC.AllocateArray<byte>(FieldLimit << 3, pinned: true);

    private RowLayout(int presentSize)
    {
        PresentSize = presentSize;
    }

    /// <summary>Bytes of a row's value in <c>present</c>; 0 where there is none.</summary>
    public int PresentSize { get; }

    /// <summary>The columns, by their fields' numbers.</summary>
    public int[] Numbers { get; private init; } = [];

    /// <summary>Bytes of a value, by the field's number; 0 where that has no column.</summary>
    public int[] Sizes { get; } = new int[FieldLimit];

    /// <summary>The numbers that an enum names, as bits, by the field's number.</summary>
    public uint[] Named { get; } = new uint[FieldLimit];

    /// <summary>The fields of a <c>oneof</c>, as bits.</summary>
    public ulong Exclusive { get; private set; }

    /// <summary>The lists' fields.</summary>
    public IReadOnlyList<FieldDescriptor> Lists { get; private init; } = [];

    /// <summary>
    /// What stands behind a tag, for every tag of a field below <see cref="FieldLimit"/>; it never moves.
    /// </summary>
    public unsafe RowField* Fields =>
        (RowField*)System.Runtime.CompilerServices.Unsafe.AsPointer(ref _fields[0]);

    /// <summary>A row for each message of a type.</summary>
    /// <param name="message">Its scalars, enums and points become columns, its repeated fields lists.</param>
    /// <param name="presentSize">Bytes of a row's value in <c>present</c>.</param>
    public static RowLayout Of(MessageDescriptor message, int presentSize)
    {
        var fields = message.Fields.InFieldNumberOrder();
        var bits = Math.Min(XBit, (presentSize * 8) - 3);
        if (fields.FirstOrDefault(field => field.FieldNumber >= bits) is { } beyond)
        {
            throw new NotSupportedException($"{beyond.FullName} has no bit in present: it has {bits} for fields");
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

    /// <summary>A row for each number of a list of them.</summary>
    /// <param name="number">The column's.</param>
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
            _ => throw new NotSupportedException($"{field.FullName} has no form as a column"),
        };
        Set(number, wire, kind);
        Sizes[number] = size;
        if (kind == RowField.Enum)
        {
            Named[number] = field.EnumType.Values.Aggregate(0u, (bits, value) => bits | 1u << value.Number);
        }

        if (field.ContainingOneof is not null)
        {
            Exclusive |= 1UL << number;
        }
    }

    private void Set(int number, WireFormat.WireType type, RowField field) =>
        _fields[WireFormat.MakeTag(number, type)] = (byte)field;
}
