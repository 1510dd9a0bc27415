using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>Collects the fields that serialized messages contain, with the ranges of their numbers. Fields that the proto files lack are included.</summary>
internal sealed class FieldPresence
{
    private readonly SortedDictionary<string, int> _counts = new(StringComparer.Ordinal);
    private readonly Dictionary<string, (double Least, double Most)> _ranges = [];

    /// <summary>
    /// How many messages have a field. The key is the field's path, such as <c>observation.raw_data.units.health</c>. A field that the proto
    /// files lack has the name <c>#NUMBER</c>.
    /// </summary>
    internal IReadOnlyDictionary<string, int> Counts => _counts;

    /// <summary>The range of each float or integer that is not packed.</summary>
    internal IReadOnlyDictionary<string, (double Least, double Most)> Ranges => _ranges;

    /// <summary>Returns the fields that only one of the two games has. If a message is such a field, the fields in it are not listed.</summary>
    internal static IEnumerable<string> OnlyInOne(FieldPresence game, FieldPresence simulated)
    {
        string? listedPrefix = null;
        foreach (var field in game._counts.Keys.Union(simulated._counts.Keys).Order(StringComparer.Ordinal))
        {
            if ((game._counts.ContainsKey(field) && simulated._counts.ContainsKey(field))
                || (listedPrefix is not null && field.StartsWith(listedPrefix, StringComparison.Ordinal)))
            {
                continue;
            }

            listedPrefix = field + ".";
            yield return field;
        }
    }

    /// <summary>Returns the numbers whose ranges in the two games do not overlap.</summary>
    internal static IEnumerable<string> WithoutCommonRange(FieldPresence game, FieldPresence simulated) =>
        game._ranges.Keys.Where(field => simulated._ranges.TryGetValue(field, out var other)
            && (other.Most < game._ranges[field].Least || other.Least > game._ranges[field].Most)).Order(StringComparer.Ordinal);

    /// <summary>Adds the fields of a message and of the messages in it.</summary>
    /// <param name="type">The message's type.</param>
    /// <param name="message">The message.</param>
    /// <param name="path">The beginning of the fields' paths.</param>
    /// <exception cref="MalformedMessageException">The bytes are not a message.</exception>
    internal void Add(MessageDescriptor type, ReadOnlySpan<byte> message, string path = "")
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

            if (field is not null)
            {
                AddContent(field, name, reader);
            }
        }
    }

    private void AddContent(FieldDescriptor field, string name, WireReader reader)
    {
        switch (field.FieldType, reader.Type)
        {
            case (FieldType.Message, WireFormat.WireType.LengthDelimited):
                Add(field.MessageType, reader.Content, name + ".");
                break;
            case (FieldType.Float, WireFormat.WireType.Fixed32):
                Widen(name, BitConverter.ToSingle(reader.Content));
                break;
            case (_, WireFormat.WireType.Varint):
                Widen(name, (long)reader.VarintValue);
                break;
        }
    }

    private void Widen(string name, double value) => _ranges[name] = _ranges.TryGetValue(name, out var range)
        ? (Math.Min(range.Least, value), Math.Max(range.Most, value))
        : (value, value);
}
