using System.Diagnostics.CodeAnalysis;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The schemas and channels that a file declares; the same may be declared again, another may not.</summary>
/// <param name="memory">Counts them.</param>
internal sealed class ChannelTable(IndexMemory memory)
{
    private readonly SortedDictionary<ushort, Schema> _schemas = [];
    private readonly SortedDictionary<ushort, Channel> _channels = [];

    /// <summary>By their numbers.</summary>
    public IReadOnlyCollection<Schema> Schemas => _schemas.Values;

    /// <summary>By their numbers.</summary>
    public IReadOnlyCollection<Channel> Channels => _channels.Values;

    public bool Knows(ushort channel) => _channels.ContainsKey(channel);

    /// <summary>The channel of that number; null where there is none.</summary>
    public Channel? Find(ushort channel) => _channels.GetValueOrDefault(channel);

    /// <summary>The schema of a channel; null where it has none.</summary>
    public Schema? SchemaOf(Channel channel) => _schemas.GetValueOrDefault(channel.SchemaId);

    /// <summary>The channel of a topic; null where there is none.</summary>
    /// <exception cref="McapException">There are several.</exception>
    public Channel? Find(string topic)
    {
        Channel? found = null;
        foreach (var channel in _channels.Values.Where(channel => channel.Topic == topic))
        {
            if (found is not null)
            {
                throw IsTwice(topic, found.Id, channel.Id);
            }

            found = channel;
        }

        return found;
    }

    /// <summary>Of a topic with two channels.</summary>
    public static McapException IsTwice(string topic, ushort one, ushort other) =>
        new($"channels {one} and {other} are both {topic}", 0, "give a file that has it once");

    /// <param name="schema">What is declared.</param>
    /// <param name="offset">Where, for errors.</param>
    public void Add(Schema schema, long offset)
    {
        if (schema.Id == 0)
        {
            // "Invalid and should be ignored" (the specification).
            return;
        }

        if (IsNew(_schemas.GetValueOrDefault(schema.Id), schema, AreSame, $"schema {schema.Id}", offset))
        {
            memory.Add(offset, schema.Name.Length + schema.Encoding.Length + schema.Data.Length);
            _schemas.Add(schema.Id, schema);
        }
    }

    /// <param name="channel">What is declared.</param>
    /// <param name="offset">Where, for errors.</param>
    public void Add(Channel channel, long offset)
    {
        if (IsNew(_channels.GetValueOrDefault(channel.Id), channel, AreSame, $"channel {channel.Id}", offset))
        {
            memory.Add(
                offset,
                channel.Topic.Length + channel.MessageEncoding.Length
                    + channel.Metadata.Sum(text => (long)text.Key.Length + text.Value.Length),
                3 * channel.Metadata.Count);
            _channels.Add(channel.Id, channel);
        }
    }

    private static bool IsNew<T>(T? known, T declared, Func<T, T, bool> areSame, string what, long offset)
        where T : class =>
        known is null
        || (areSame(known, declared) ? false : throw new McapException($"{what} is declared again as another", offset));

    private static bool AreSame(Schema one, Schema other) =>
        (one.Name, one.Encoding) == (other.Name, other.Encoding) && one.Data.Span.SequenceEqual(other.Data.Span);

    [SuppressMessage("Performance", "CA1851", Justification = "A dictionary.")]
    private static bool AreSame(Channel one, Channel other) =>
        (one.SchemaId, one.Topic, one.MessageEncoding) == (other.SchemaId, other.Topic, other.MessageEncoding)
        && one.Metadata.Count == other.Metadata.Count && !one.Metadata.Except(other.Metadata).Any();
}
