using System.Collections.Concurrent;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json;

/// <summary>What names in JSON mean, looked up without a string: tables that are made once from the descriptors.</summary>
internal static class JsonNames
{
    /// <summary>A message may have so many fields: a bit each.</summary>
    private const int MostFields = 64;

    private static readonly ConcurrentDictionary<MessageDescriptor, Dictionary<string, FieldDescriptor>> Fields = new();
    private static readonly ConcurrentDictionary<EnumDescriptor, Dictionary<string, int>> Numbers = new();

    /// <summary>The fields of a message by their names in JSON and in the contract.</summary>
    /// <exception cref="NotSupportedException">It has a field of a kind that neither contract has.</exception>
    public static Dictionary<string, FieldDescriptor>.AlternateLookup<ReadOnlySpan<char>> FieldsOf(MessageDescriptor message) =>
        Fields.GetOrAdd(message, TableOf).GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>The numbers of an enum by their names.</summary>
    public static Dictionary<string, int>.AlternateLookup<ReadOnlySpan<char>> NumbersOf(EnumDescriptor type) => Numbers
        .GetOrAdd(type, static type => type.Values.ToDictionary(value => value.Name, value => value.Number))
        .GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>How a single value of a field stands on the wire.</summary>
    /// <exception cref="NotSupportedException">It is of a kind that neither contract has.</exception>
    public static WireFormat.WireType WireTypeOf(FieldDescriptor field) => field.FieldType switch
    {
        _ when field.IsMap => throw Unsupported(field),
        FieldType.String or FieldType.Bytes or FieldType.Message => WireFormat.WireType.LengthDelimited,
        FieldType.Double => WireFormat.WireType.Fixed64,
        FieldType.Float => WireFormat.WireType.Fixed32,
        FieldType.Bool or FieldType.Enum or FieldType.Int32 or FieldType.UInt32 or FieldType.Int64 or FieldType.UInt64 =>
            WireFormat.WireType.Varint,
        _ => throw Unsupported(field),
    };

    /// <summary>Neither contract had such a field when this was written.</summary>
    public static NotSupportedException Unsupported(FieldDescriptor field) =>
        new($"{field.FullName} is of a kind that neither contract had: teach the readers and writers of JSON about it");

    private static Dictionary<string, FieldDescriptor> TableOf(MessageDescriptor message)
    {
        var fields = message.Fields.InDeclarationOrder();
        if (fields.Count > MostFields || fields.Any(field => field.IsMap || field.FieldType == FieldType.Group
            || (field.FieldType == FieldType.Message && field.MessageType.File.Package == "google.protobuf")))
        {
            throw new NotSupportedException($"{message.FullName} is of a kind that the reader of JSON does not know");
        }

        var table = fields.ToDictionary(field => field.JsonName);
        foreach (var field in fields)
        {
            table[field.Name] = field;
        }

        return table;
    }
}
