using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>Which fields messages have, as they stand on the wire: fields that the contract does not know count too.</summary>
internal sealed class FieldPresence
{
    private readonly SortedDictionary<string, int> _counts = new(StringComparer.Ordinal);

    /// <summary>
    /// In how many messages each field was, by its path (<c>observation.raw_data.units.health</c>; one that the contract does
    /// not know is <c>#NUMBER</c>).
    /// </summary>
    internal IReadOnlyDictionary<string, int> Counts => _counts;

    /// <summary>The fields that only one of two has; what is below such a field is not named.</summary>
    internal static IEnumerable<FieldDifference> Differences(string of, FieldPresence game, FieldPresence simulated)
    {
        string? above = null;
        foreach (var field in game._counts.Keys.Union(simulated._counts.Keys).Order(StringComparer.Ordinal))
        {
            var (one, other) = (game._counts.GetValueOrDefault(field), simulated._counts.GetValueOrDefault(field));
            if ((one > 0 && other > 0) || (above is not null && field.StartsWith(above, StringComparison.Ordinal)))
            {
                continue;
            }

            above = field + ".";
            yield return new FieldDifference(of, field, one, other);
        }
    }

    /// <summary>Counts the fields of a message and of those in it.</summary>
    /// <exception cref="MalformedMessageException">It is none.</exception>
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
