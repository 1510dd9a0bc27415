using System.Collections.Concurrent;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Encoding.Json;

/// <summary>What the reader of JSON knows of a message: made once from its descriptor.</summary>
internal sealed class JsonMessage
{
    private static readonly ConcurrentDictionary<MessageDescriptor, JsonMessage> Known = new();
    private readonly Lazy<(JsonField[] Fields, NameTable Names)> _content;

    private JsonMessage(MessageDescriptor descriptor)
    {
        Name = descriptor.Name;

        // Not at once: a message may hold itself.
        _content = new(() =>
        {
            var described = descriptor.Fields.InFieldNumberOrder();
            if (described.Count > JsonField.Most)
            {
                throw new NotSupportedException($"{descriptor.FullName} has more than {JsonField.Most} fields");
            }

            var fields = described.Select(field => new JsonField(field, described)).ToArray();
            var names = described.SelectMany((field, place) => new[] { (field.JsonName, place), (field.Name, place) });
            return (fields, new NameTable(names));
        });
    }

    /// <summary>As the contract names it, without its package.</summary>
    public string Name { get; }

    /// <summary>In the order of their numbers.</summary>
    public JsonField[] Fields => _content.Value.Fields;

    /// <summary>The table of a message.</summary>
    public static JsonMessage Of(MessageDescriptor descriptor) => Known.GetOrAdd(descriptor, static d => new(d));

    /// <summary>A field by its name in JSON or in the contract, or null.</summary>
    /// <param name="name">UTF-8.</param>
    public JsonField? Find(ReadOnlySpan<byte> name)
    {
        var (fields, names) = _content.Value;
        return names.Find(name) is >= 0 and var place ? fields[place] : null;
    }
}
