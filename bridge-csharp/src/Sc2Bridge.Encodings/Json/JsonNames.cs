using System.Collections.Concurrent;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json;

/// <summary>Looks up fields and enum values by their JSON names without allocating strings. The tables are cached for each descriptor.</summary>
internal static class JsonNames
{
    /// <summary>The maximum number of fields in a message. Each field takes a bit of a 64-bit mask.</summary>
    private const int MostFields = 64;

    private static readonly ConcurrentDictionary<MessageDescriptor, Dictionary<string, FieldDescriptor>> Fields = new();
    private static readonly ConcurrentDictionary<EnumDescriptor, Dictionary<string, int>> Numbers = new();

    /// <summary>A message's fields by their JSON names and their proto names.</summary>
    /// <exception cref="NotSupportedException">A field has an unsupported type; see <see cref="Unsupported"/>.</exception>
    public static Dictionary<string, FieldDescriptor>.AlternateLookup<ReadOnlySpan<char>> FieldsOf(MessageDescriptor message) =>
        Fields.GetOrAdd(message, TableOf).GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>An enum's numbers by their names.</summary>
    public static Dictionary<string, int>.AlternateLookup<ReadOnlySpan<char>> NumbersOf(EnumDescriptor type) => Numbers
        .GetOrAdd(type, static type => type.Values.ToDictionary(value => value.Name, value => value.Number))
        .GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>The wire type of a single value.</summary>
    /// <exception cref="NotSupportedException">The field has an unsupported type.</exception>
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

    /// <summary>The exception for a type that neither the game's nor the bridge's proto files use today.</summary>
    public static NotSupportedException Unsupported(FieldDescriptor field) =>
        new($"{field.FullName} has a type that the JSON reader and writer do not support: add it to them");

    private static Dictionary<string, FieldDescriptor> TableOf(MessageDescriptor message)
    {
        var fields = message.Fields.InDeclarationOrder();
        if (fields.Count > MostFields || fields.Any(field => field.IsMap || field.FieldType == FieldType.Group
            || (field.FieldType == FieldType.Message && field.MessageType.File.Package == "google.protobuf")))
        {
            throw new NotSupportedException($"{message.FullName} has too many fields, or a type that the JSON reader does not support");
        }

        var table = fields.ToDictionary(field => field.JsonName);
        foreach (var field in fields)
        {
            table[field.Name] = field;
        }

        return table;
    }
}
