using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>Counts the fields that serialized messages contain, including fields that the proto files lack.</summary>
internal sealed class FieldPresence
{
    private readonly SortedDictionary<string, int> _counts = new(StringComparer.Ordinal);

    /// <summary>
    /// How many messages have a field. The key is the field's path, such as <c>observation.raw_data.units.health</c>. A field that the proto
    /// files lack has the name <c>#NUMBER</c>.
    /// </summary>
    internal IReadOnlyDictionary<string, int> Counts => _counts;

    /// <summary>Returns the fields that only one of the two games has. If a message is such a field, the fields in it are not listed.</summary>
    internal static IEnumerable<FieldDifference> Differences(string kind, FieldPresence game, FieldPresence simulated)
    {
        string? listedPrefix = null;
        foreach (var field in game._counts.Keys.Union(simulated._counts.Keys).Order(StringComparer.Ordinal))
        {
            var (gameCount, simulatedCount) = (game._counts.GetValueOrDefault(field), simulated._counts.GetValueOrDefault(field));
            if ((gameCount > 0 && simulatedCount > 0) || (listedPrefix is not null && field.StartsWith(listedPrefix, StringComparison.Ordinal)))
            {
                continue;
            }

            listedPrefix = field + ".";
            yield return new FieldDifference(kind, field, gameCount, simulatedCount);
        }
    }

    /// <summary>Counts the fields of a message and of the messages in it.</summary>
    /// <exception cref="MalformedMessageException">The bytes are not a message.</exception>
    internal void Add(MessageDescriptor type, ReadOnlySpan<byte> message) => Add(type, message, "");

    private void Add(MessageDescriptor type, ReadOnlySpan<byte> message, string path)
    {
        HashSet<int> seen = [];
        var reader = new WireReader(message);
        while (reader.Next())
        {
            var field = type.FindFieldByNumber(reader.Field);
            var name = path + (field?.Name ?? $"#{reader.Field}");
            if (seen.Add(reader.Field))
            {
                _counts[name] = _counts.GetValueOrDefault(name) + 1;
            }

            if (field?.FieldType == FieldType.Message && reader.Type == WireFormat.WireType.LengthDelimited)
            {
                Add(field.MessageType, reader.Content, name + ".");
            }
        }
    }
}
