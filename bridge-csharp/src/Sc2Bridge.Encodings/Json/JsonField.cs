using System.Buffers.Binary;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json;

/// <summary>What the reader of JSON knows of a field.</summary>
internal sealed class JsonField
{
    /// <summary>A message may have so many: a bit each.</summary>
    public const int Most = 64;

    // What neither contract has: maps, groups, extensions, zigzag and fixed integers, the well-known types.
    private static readonly FieldType[] Supported =
    [
        FieldType.Bool, FieldType.Int32, FieldType.UInt32, FieldType.Int64, FieldType.UInt64, FieldType.Float,
        FieldType.Double, FieldType.Enum, FieldType.String, FieldType.Bytes, FieldType.Message,
    ];

    /// <param name="field">Which.</param>
    /// <param name="place">Its own among them.</param>
    /// <param name="all">The fields of its message, in the order in which their bits stand.</param>
    /// <exception cref="NotSupportedException">It is of a kind that neither contract has.</exception>
    public JsonField(FieldDescriptor field, int place, IList<FieldDescriptor> all)
    {
        if (!Supported.Contains(field.FieldType) || field.IsMap || field.IsExtension
            || (field.FieldType == FieldType.Message && field.MessageType.File.Package == "google.protobuf"))
        {
            throw new NotSupportedException($"{field.FullName} is of a kind that the reader of JSON does not know");
        }

        Name = field.JsonName;
        Utf8Name = System.Text.Encoding.UTF8.GetBytes(Name);
        Place = place;
        Type = field.FieldType;
        Repeated = field.IsRepeated;
        Message = field.FieldType == FieldType.Message ? JsonMessage.Of(field.MessageType) : null;
        Enum = field.FieldType == FieldType.Enum ? JsonEnum.Of(field.EnumType) : null;
        Oneof = field.RealContainingOneof?.Name;
        Bit = 1UL << place;
        foreach (var other in field.RealContainingOneof?.Fields ?? [])
        {
            Rivals |= other == field ? 0 : 1UL << all.IndexOf(other);
        }

        var wireType = Type switch
        {
            FieldType.String or FieldType.Bytes or FieldType.Message => 2u,
            FieldType.Double => 1u,
            FieldType.Float => 5u,
            _ => 0u,
        };

        // The library says it of lists of messages, too.
        Packed = field.IsRepeated && field.IsPacked && wireType != 2;
        wireType = Packed ? 2 : wireType;
        Span<byte> tag = stackalloc byte[sizeof(ulong)];
        TagLength = WireWriter.WriteVarint(tag, ((uint)field.FieldNumber << 3) | wireType);
        Tag = BinaryPrimitives.ReadUInt64LittleEndian(tag);
    }

    /// <summary>In JSON.</summary>
    public string Name { get; }

    /// <summary>The same in UTF-8.</summary>
    public byte[] Utf8Name { get; }

    /// <summary>Its place among the fields of its message, in the order of their numbers.</summary>
    public int Place { get; }

    /// <summary>The kind of one value.</summary>
    public FieldType Type { get; }

    /// <summary>Whether it is a list.</summary>
    public bool Repeated { get; }

    /// <summary>Whether the list's values stand behind one tag.</summary>
    public bool Packed { get; }

    /// <summary>The message that it holds.</summary>
    public JsonMessage? Message { get; }

    /// <summary>The enum that it is of.</summary>
    public JsonEnum? Enum { get; }

    /// <summary>The name of the oneof that it is of.</summary>
    public string? Oneof { get; }

    /// <summary>Its bit among the fields of its message.</summary>
    public ulong Bit { get; }

    /// <summary>The bits of the fields that cannot be set beside it.</summary>
    public ulong Rivals { get; }

    /// <summary>Its tag's bytes, the first lowest.</summary>
    public ulong Tag { get; }

    /// <summary>How many they are.</summary>
    public int TagLength { get; }
}
