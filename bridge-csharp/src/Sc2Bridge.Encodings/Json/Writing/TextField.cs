using System.Buffers.Binary;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>What the writer needs to know of one field as it stands on the wire under one tag.</summary>
internal sealed class TextField
{
    // Enums of the contracts number their values densely from 0.
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

    /// <summary>The field's number.</summary>
    public int Number { get; }

    /// <summary>The type of a single value of it.</summary>
    public FieldType Type { get; }

    /// <summary>Whether it is one of a run of values.</summary>
    public bool IsList { get; }

    /// <summary>Whether such values stand one after the other, without tags.</summary>
    public bool IsPacked { get; }

    /// <summary>Number and wire type, as they stand on the wire.</summary>
    public uint Tag { get; }

    /// <summary>The tag as the shortest varint, its first byte the lowest.</summary>
    public ulong TagBytes { get; }

    /// <summary>The bits of a word that such a varint takes.</summary>
    public ulong TagMask { get; }

    /// <summary>How many bytes it takes.</summary>
    public int TagLength { get; }

    /// <summary>A zero means that it is absent (proto3 without presence).</summary>
    public bool IsImplicit { get; }

    /// <summary>Numbers that its enum does not name are left out.</summary>
    public bool IsClosed { get; }

    /// <summary>The bit of the oneof that it is a member of; 0 where it is of none.</summary>
    public ulong OneofBit { get; }

    /// <summary>A comma, the quoted name and a colon.</summary>
    public TextPiece Name { get; }

    /// <summary>What stands before a value: the name, in a list a comma alone.</summary>
    public TextPiece Prefix { get; }

    /// <summary>
    /// For booleans and enums the whole text by number: a comma, name and value; in a list without the name.
    /// </summary>
    public TextPiece[] Values { get; }

    /// <summary>The message's own fields; null where it is none.</summary>
    public TextMessage? Message { get; internal set; }

    /// <summary>The forms in which a field may stand on the wire: a list of numbers has two.</summary>
    /// <exception cref="NotSupportedException">A kind that neither contract has.</exception>
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

        // Of several names for a number the first is the one that is written.
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
