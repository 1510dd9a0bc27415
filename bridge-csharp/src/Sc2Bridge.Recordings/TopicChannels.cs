using System.Globalization;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>Declares the channels of a recording where its file does so no more.</summary>
internal static class TopicChannels
{
    private static readonly Dictionary<string, string> NoTexts = [];

    /// <summary>Declares what <see cref="RecordingFormat.Topics"/> tells of and is not known.</summary>
    /// <param name="channels">What is known.</param>
    /// <param name="told">Topics by the channels' numbers; what is neither is passed over.</param>
    public static void Declare(ChannelTable channels, Metadata told)
    {
        foreach (var (number, topic) in told.Texts)
        {
            if (ushort.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var id)
                && !channels.Knows(id) && RecordingFormat.MessageOf(topic) is not null)
            {
                Declare(channels, topic, id);
            }
        }
    }

    /// <summary>Declares a channel.</summary>
    /// <param name="channels">What is known; its schema is added where it is not.</param>
    /// <param name="topic">One of a recording's.</param>
    /// <param name="id">The channel's number; null for the next that is free.</param>
    public static Channel Declare(ChannelTable channels, string topic, ushort? id)
    {
        var message = RecordingFormat.MessageOf(topic)!;
        var schema = channels.Schemas.FirstOrDefault(schema => schema.Name == message.FullName);
        if (schema is null)
        {
            schema = new Schema(
                Free(channels.Schemas.Select(known => known.Id)), message.FullName, McapFormat.Protobuf,
                ProtobufSchema.Of(message));
            channels.Add(schema, 0);
        }

        var channel = new Channel(
            id ?? Free(channels.Channels.Select(known => known.Id)), schema.Id, topic, McapFormat.Protobuf, NoTexts);
        channels.Add(channel, 0);
        return channel;
    }

    private static ushort Free(IEnumerable<ushort> taken) => checked((ushort)(taken.DefaultIfEmpty().Max() + 1));
}
