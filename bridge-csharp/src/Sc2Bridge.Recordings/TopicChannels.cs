using System.Globalization;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>Declares channels of a damaged recording if the recording's own declarations are lost.</summary>
internal static class TopicChannels
{
    private static readonly Dictionary<string, string> NoTexts = [];

    /// <summary>Declares the channels in <see cref="RecordingFormat.Topics"/> that are unknown so far.</summary>
    /// <param name="channels">The known channels.</param>
    /// <param name="topics">The topics by the channels' numbers. Invalid entries are ignored.</param>
    public static void Declare(ChannelTable channels, Metadata topics)
    {
        foreach (var (number, topic) in topics.Texts)
        {
            if (ushort.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var id)
                && !channels.Knows(id) && RecordingFormat.MessageOf(topic) is not null)
            {
                Declare(channels, topic, id);
            }
        }
    }

    /// <summary>Declares a channel.</summary>
    /// <param name="channels">The known channels. The topic's schema is added if it is unknown.</param>
    /// <param name="topic">A topic that <see cref="RecordingFormat"/> defines.</param>
    /// <param name="id">The channel's number; null for the next free number.</param>
    public static Channel Declare(ChannelTable channels, string topic, ushort? id)
    {
        var message = RecordingFormat.MessageOf(topic)!;
        var schema = channels.Schemas.FirstOrDefault(schema => schema.Name == message.FullName);
        if (schema is null)
        {
            schema = new Schema(
                NextFreeId(channels.Schemas.Select(known => known.Id)), message.FullName, McapFormat.Protobuf,
                ProtobufSchema.Of(message));
            channels.Add(schema, 0);
        }

        var channel = new Channel(
            id ?? NextFreeId(channels.Channels.Select(known => known.Id)), schema.Id, topic, McapFormat.Protobuf, NoTexts);
        channels.Add(channel, 0);
        return channel;
    }

    private static ushort NextFreeId(IEnumerable<ushort> taken) => checked((ushort)(taken.DefaultIfEmpty().Max() + 1));
}
