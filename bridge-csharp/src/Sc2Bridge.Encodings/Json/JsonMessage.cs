using System.Collections.Concurrent;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encodings.Json;

/// <summary>What the reader of JSON knows of a message: made once from its descriptor.</summary>
internal sealed class JsonMessage
{
    private static readonly ConcurrentDictionary<MessageDescriptor, JsonMessage> Known = new();
    private readonly MessageDescriptor _descriptor;

    // Made when it is asked for, since a message may hold itself; made twice, both are the same.
    private Tables? _tables;

    private JsonMessage(MessageDescriptor descriptor)
    {
        _descriptor = descriptor;
        Name = descriptor.Name;
    }

    /// <summary>As the contract names it, without its package.</summary>
    public string Name { get; }

    /// <summary>In the order of their numbers.</summary>
    public JsonField[] Fields => (_tables ??= Make()).Fields;

    /// <summary>The table of a message.</summary>
    public static JsonMessage Of(MessageDescriptor descriptor) => Known.GetOrAdd(descriptor, static d => new(d));

    /// <summary>A field by its name in JSON or in the contract, or null.</summary>
    /// <param name="name">UTF-8.</param>
    /// <param name="expected">The place of the field that is likely to be the one.</param>
    public JsonField? Find(ReadOnlySpan<byte> name, int expected)
    {
        var (fields, names) = _tables ??= Make();
        if ((uint)expected < (uint)fields.Length && name.SequenceEqual(fields[expected].Utf8Name))
        {
            return fields[expected];
        }

        return names.Find(name) is >= 0 and var place ? fields[place] : null;
    }

    private Tables Make()
    {
        var fields = _descriptor.Fields.InFieldNumberOrder();
        var names = fields.SelectMany((field, place) => new[] { (field.JsonName, place), (field.Name, place) });
        if (fields.Count > JsonField.Most)
        {
            throw new NotSupportedException($"{_descriptor.FullName} has more than {JsonField.Most} fields");
        }

        return new Tables(
            [.. fields.Select((field, place) => new JsonField(field, place, fields))], new NameTable(names));
    }

    private sealed record Tables(JsonField[] Fields, NameTable Names);
}
