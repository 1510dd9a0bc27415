using System.Buffers.Binary;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>One field of a message type with one of the field's tags, prepared for the JSON writer.</summary>
internal sealed class TextField
{
    // The game's and the bridge's proto files number enum values from 0, almost without gaps.
    private const int LargestEnumNumber = 4095;

    private TextField(FieldDescriptor field, WireFormat.WireType wire, bool isPacked = false)
    {
        Number = field.FieldNumber;
        (Type, IsList, IsPacked) = (field.FieldType, field.IsRepeated, isPacked);
        Tag = WireFormat.MakeTag(field.FieldNumber, wire);
        TagBytes = Varint(Tag, out var tagLength);
        TagLength = tagLength;
        TagMask = (1ul << (8 * tagLength)) - 1;
        IsImplicit = !field.IsRepeated && !field.HasPresence;
        OneofBit = field.RealContainingOneof is { } oneof ? 1ul << oneof.Index : 0;
        Name = new TextPiece($",\"{field.JsonName}\":");
        Prefix = field.IsRepeated ? new TextPiece(",") : Name;
        if (Type == FieldType.Enum)
        {
            IsClosed = field.EnumType.File.ToProto().Syntax is not "proto3";
        }

        Values = Type is FieldType.Bool or FieldType.Enum
            ? ValuesOf(field, field.IsRepeated ? "," : $",\"{field.JsonName}\":")
            : [];
    }

    public int Number { get; }

    /// <summary>The type of a single value.</summary>
    public FieldType Type { get; }

    public bool IsList { get; }

    /// <summary>Whether the values are packed: one after the other, without tags.</summary>
    public bool IsPacked { get; }

    /// <summary>The field number and wire type, as on the wire.</summary>
    public uint Tag { get; }

    /// <summary>The tag's bytes as the shortest varint. The first byte is the lowest.</summary>
    public ulong TagBytes { get; }

    /// <summary>A mask for the bytes in <see cref="TagBytes"/>.</summary>
    public ulong TagMask { get; }

    /// <summary>The number of bytes in <see cref="TagBytes"/>.</summary>
    public int TagLength { get; }

    /// <summary>Whether a zero means that the field is not set (proto3 without presence).</summary>
    public bool IsImplicit { get; }

    /// <summary>Whether the enum is closed: the JSON leaves out unknown numbers.</summary>
    public bool IsClosed { get; }

    /// <summary>A bit for the field's oneof; 0 if the field is in no oneof.</summary>
    public ulong OneofBit { get; }

    /// <summary>A comma, the quoted name and a colon.</summary>
    public TextPiece Name { get; }

    /// <summary>The text before a value: <see cref="Name"/>, or only a comma if the field is a list.</summary>
    public TextPiece Prefix { get; }

    /// <summary>
    /// For booleans and enums: the text of each value, indexed by number: a comma, the name (not in a list) and the value.
    /// </summary>
    public TextPiece[] Values { get; }

    /// <summary>The message type of the field's values; null if the values are not messages.</summary>
    public TextMessage? Message { get; internal set; }

    /// <summary>Returns one instance for each wire form of a field. A list of numbers has two forms: with a tag for each number, and packed.</summary>
    /// <exception cref="NotSupportedException">The field has an unsupported type.</exception>
    public static IEnumerable<TextField> Of(FieldDescriptor field)
    {
        var wire = JsonNames.WireTypeOf(field);
        yield return new TextField(field, wire);
        if (field.IsRepeated && wire != WireFormat.WireType.LengthDelimited)
        {
            yield return new TextField(field, WireFormat.WireType.LengthDelimited, isPacked: true);
        }
    }

    private static TextPiece[] ValuesOf(FieldDescriptor field, string before)
    {
        if (field.FieldType == FieldType.Bool)
        {
            return [new TextPiece(before + "false"), new TextPiece(before + "true")];
        }

        var values = field.EnumType.Values;
        var largest = values.Max(value => value.Number);
        if (largest > LargestEnumNumber || values.Any(value => value.Number < 0))
        {
            throw JsonNames.Unsupported(field);
        }

        // If several names have the same number, the first one is written.
        var texts = new TextPiece[largest + 1];
        foreach (var value in values.Reverse())
        {
            texts[value.Number] = new TextPiece($"{before}\"{value.Name}\"");
        }

        return texts;
    }

    private static ulong Varint(uint tag, out int length)
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        length = WireWriter.WriteVarint(bytes, tag);
        return BinaryPrimitives.ReadUInt64LittleEndian(bytes);
    }
}
