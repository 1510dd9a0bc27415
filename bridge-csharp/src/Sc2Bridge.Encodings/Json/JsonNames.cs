using System.Collections.Concurrent;
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
