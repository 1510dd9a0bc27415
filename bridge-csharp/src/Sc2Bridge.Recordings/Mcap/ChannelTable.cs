using System.Diagnostics.CodeAnalysis;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>The schemas and channels that a file declares. Repeated declarations must be identical.</summary>
/// <param name="memory">Counts the memory of the declarations.</param>
internal sealed class ChannelTable(IndexMemory memory)
{
    private readonly SortedDictionary<ushort, Schema> _schemas = [];
    private readonly SortedDictionary<ushort, Channel> _channels = [];

    /// <summary>The schemas, ordered by number.</summary>
    public IReadOnlyCollection<Schema> Schemas => _schemas.Values;

    /// <summary>The channels, ordered by number.</summary>
    public IReadOnlyCollection<Channel> Channels => _channels.Values;

    public bool Knows(ushort channel) => _channels.ContainsKey(channel);

    /// <summary>The channel with a number; null if the number is unknown.</summary>
    public Channel? Find(ushort channel) => _channels.GetValueOrDefault(channel);

    /// <summary>The schema of a channel; null if the channel has no schema.</summary>
    public Schema? SchemaOf(Channel channel) => _schemas.GetValueOrDefault(channel.SchemaId);

    /// <summary>The channel of a topic; null if the topic has no channel.</summary>
    /// <exception cref="McapException">The topic has several channels.</exception>
    public Channel? Find(string topic)
    {
        Channel? found = null;
        foreach (var channel in _channels.Values.Where(channel => channel.Topic == topic))
        {
            if (found is not null)
            {
                throw DuplicateTopic(topic, found.Id, channel.Id);
            }

            found = channel;
        }

        return found;
    }

    /// <summary>The error for a topic with two channels.</summary>
    public static McapException DuplicateTopic(string topic, ushort one, ushort other) =>
        new($"channels {one} and {other} are both {topic}", 0, "give a file with one channel for this topic");

    /// <param name="schema">The declared schema.</param>
    /// <param name="offset">The position in the file, for errors.</param>
    public void Add(Schema schema, long offset)
    {
        if (schema.Id == 0)
        {
            // "Invalid and should be ignored" (https://mcap.dev/spec).
            return;
        }

        if (IsNew(_schemas.GetValueOrDefault(schema.Id), schema, AreSame, $"schema {schema.Id}", offset))
        {
            memory.Add(offset, schema.Name.Length + schema.Encoding.Length + schema.Data.Length);
            _schemas.Add(schema.Id, schema);
        }
    }

    /// <param name="channel">The declared channel.</param>
    /// <param name="offset">The position in the file, for errors.</param>
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
        || (areSame(known, declared) ? false : throw new McapException($"{what} is declared twice with different contents", offset));

    private static bool AreSame(Schema one, Schema other) =>
        (one.Name, one.Encoding) == (other.Name, other.Encoding) && one.Data.Span.SequenceEqual(other.Data.Span);

    [SuppressMessage("Performance", "CA1851", Justification = "A dictionary.")]
    private static bool AreSame(Channel one, Channel other) =>
        (one.SchemaId, one.Topic, one.MessageEncoding) == (other.SchemaId, other.Topic, other.MessageEncoding)
        && one.Metadata.Count == other.Metadata.Count && !one.Metadata.Except(other.Metadata).Any();
}
