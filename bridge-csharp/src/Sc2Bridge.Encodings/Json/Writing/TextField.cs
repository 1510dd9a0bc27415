using System.Buffers.Binary;
using System.Globalization;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>What the writer needs to know of one field as it stands on the wire under one tag.</summary>
internal sealed class TextField
{
    // Enums of the contracts number their values densely from 0.
    private const int LargestEnumNumber = 4095;

    private TextField(FieldDescriptor field, TextKind kind, TextKind element, WireFormat.WireType wire)
    {
        Number = field.FieldNumber;
        Kind = kind;
        Element = element;
        Tag = WireFormat.MakeTag(field.FieldNumber, wire);
        TagBytes = Varint(Tag, out var tagLength);
        TagLength = tagLength;
        TagMask = (1ul << (8 * tagLength)) - 1;
        IsImplicit = !field.IsRepeated && !field.HasPresence;
        OneofBit = field.RealContainingOneof is { } oneof ? 1ul << oneof.Index : 0;
        Name = new TextPiece($",\"{field.JsonName}\":");
        if (element is TextKind.Enum)
        {
            IsClosed = field.EnumType.File.ToProto().Syntax is not "proto3";
        }

        Values = element is TextKind.Bool or TextKind.Enum
            ? ValuesOf(field, field.IsRepeated ? "," : $",\"{field.JsonName}\":")
            : [];
    }

    /// <summary>The field's number.</summary>
    public int Number { get; }

    /// <summary>How it is read and written.</summary>
    public TextKind Kind { get; }

    /// <summary>The kind of a single value of it.</summary>
    public TextKind Element { get; }

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
        var (element, wire) = field switch
        {
            { IsMap: true } => throw Unsupported(field),
            { FieldType: FieldType.Bool } => (TextKind.Bool, WireFormat.WireType.Varint),
            { FieldType: FieldType.Enum } => (TextKind.Enum, WireFormat.WireType.Varint),
            { FieldType: FieldType.Int32 } => (TextKind.Int32, WireFormat.WireType.Varint),
            { FieldType: FieldType.UInt32 } => (TextKind.UInt32, WireFormat.WireType.Varint),
            { FieldType: FieldType.Int64 } => (TextKind.Int64, WireFormat.WireType.Varint),
            { FieldType: FieldType.UInt64 } => (TextKind.UInt64, WireFormat.WireType.Varint),
            { FieldType: FieldType.Float } => (TextKind.Float, WireFormat.WireType.Fixed32),
            { FieldType: FieldType.Double } => (TextKind.Double, WireFormat.WireType.Fixed64),
            { FieldType: FieldType.String } => (TextKind.Text, WireFormat.WireType.LengthDelimited),
            { FieldType: FieldType.Bytes } => (TextKind.Bytes, WireFormat.WireType.LengthDelimited),
            { FieldType: FieldType.Message } => (TextKind.Message, WireFormat.WireType.LengthDelimited),
            _ => throw Unsupported(field),
        };
        if (!field.IsRepeated)
        {
            yield return new TextField(field, element, element, wire);
        }
        else if (element is TextKind.Message)
        {
            yield return new TextField(field, TextKind.Messages, element, wire);
        }
        else
        {
            yield return new TextField(field, TextKind.Repeated, element, wire);
            if (wire != WireFormat.WireType.LengthDelimited)
            {
                yield return new TextField(field, TextKind.Packed, element, WireFormat.WireType.LengthDelimited);
            }
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
            throw Unsupported(field);
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

    private static NotSupportedException Unsupported(FieldDescriptor field) => new(string.Create(
        CultureInfo.InvariantCulture,
        $"{field.FullName} is of a kind that neither contract had: teach TextField about it"));
}
