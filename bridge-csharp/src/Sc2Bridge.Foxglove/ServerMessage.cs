using System.Buffers.Binary;
using System.Text;
using System.Text.Json.Nodes;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Foxglove;

/// <summary>The severity of a status message.</summary>
public enum StatusLevel
{
    /// <summary>Information only.</summary>
    Info,

    /// <summary>Something was left out or ignored.</summary>
    Warning,

    /// <summary>A request of the client failed.</summary>
    Error,
}

/// <summary>The state of a playback.</summary>
public enum PlaybackStatus : byte
{
    /// <summary>The playback runs.</summary>
    Playing,

    /// <summary>The playback is paused.</summary>
    Paused,

    /// <summary>The playback has reached its end. Foxglove's 2 is "buffering", which the bridge never reports.</summary>
    Ended = 3,
}

/// <summary>The bridge's messages in Foxglove's WebSocket protocol.</summary>
public static class ServerMessage
{
    /// <summary>The number of bytes that <see cref="WriteMessageHead"/> writes.</summary>
    public const int MessageHeadLength = 1 + sizeof(uint) + sizeof(ulong);

    private const byte MessageCode = 1;
    private const byte TimeCode = 2;
    private const byte PlaybackStateCode = 5;
    private const ulong SecondNs = 1_000_000_000;

    /// <summary>Makes the first message, with the server's name, capabilities and metadata.</summary>
    /// <param name="sessionId">The id of the session; the same for all clients that watch the same match.</param>
    /// <param name="metadata">Names and values for the user.</param>
    /// <param name="playbackRange">The time range of a playback that clients can control; null if they cannot control it.</param>
    public static byte[] Info(string sessionId, IReadOnlyDictionary<string, string> metadata, (ulong StartNs, ulong EndNs)? playbackRange)
    {
        ArgumentNullException.ThrowIfNull(metadata);
        var info = new JsonObject
        {
            ["op"] = "serverInfo",
            ["name"] = "sc2bridge",
            ["capabilities"] = playbackRange is null ? new JsonArray("time") : new JsonArray("time", "playbackControl"),
            ["supportedEncodings"] = new JsonArray(),
            ["metadata"] = new JsonObject(metadata.Select(pair => KeyValuePair.Create(pair.Key, (JsonNode?)pair.Value))),
            ["sessionId"] = sessionId,
        };
        if (playbackRange is var (start, end))
        {
            (info["dataStartTime"], info["dataEndTime"]) = (TimeOf(start), TimeOf(end));
        }

        return Serialize(info);
    }

    /// <summary>Makes a message that lists the available channels. Their ids count from 1 in the order of the topics.</summary>
    public static byte[] Advertise(IEnumerable<FoxgloveTopic> topics) => Serialize(new JsonObject
    {
        ["op"] = "advertise",
        ["channels"] = new JsonArray([.. topics.Select((topic, index) => new JsonObject
        {
            ["id"] = index + 1,
            ["topic"] = topic.Name,
            ["encoding"] = "protobuf",
            ["schemaName"] = topic.MessageType.FullName,
            ["schema"] = Convert.ToBase64String(ProtobufSchema.Of(topic.MessageType)),
            ["schemaEncoding"] = "protobuf",
        })]),
    });

    /// <summary>Makes a message with one line of text for the user.</summary>
    public static byte[] Status(StatusLevel level, string message) =>
        Serialize(new JsonObject { ["op"] = "status", ["level"] = (int)level, ["message"] = message });

    /// <summary>Writes the bytes that precede a channel's message.</summary>
    /// <param name="target">Receives the bytes. At least <see cref="MessageHeadLength"/> bytes.</param>
    /// <param name="subscription">The client's subscription id.</param>
    /// <param name="timeNs">The message's time, in nanoseconds.</param>
    public static void WriteMessageHead(Span<byte> target, uint subscription, ulong timeNs)
    {
        target[0] = MessageCode;
        BinaryPrimitives.WriteUInt32LittleEndian(target[1..], subscription);
        BinaryPrimitives.WriteUInt64LittleEndian(target[5..], timeNs);
    }

    /// <summary>Makes a message with the current time of the match or playback.</summary>
    public static byte[] Time(ulong timeNs)
    {
        var bytes = new byte[1 + sizeof(ulong)];
        bytes[0] = TimeCode;
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(1), timeNs);
        return bytes;
    }

    /// <summary>Makes a message with the state of the playback (foxglove.sdk.v1).</summary>
    /// <param name="status">The state.</param>
    /// <param name="timeNs">The current time of the playback, in nanoseconds.</param>
    /// <param name="speed">The speed as a factor of real time.</param>
    /// <param name="didSeek">Whether the position has just jumped.</param>
    /// <param name="requestId">The id of the request that this message answers; empty if it answers no request.</param>
    public static byte[] PlaybackState(PlaybackStatus status, ulong timeNs, float speed, bool didSeek, string requestId)
    {
        var id = Encoding.UTF8.GetBytes(requestId);
        var bytes = new byte[1 + 1 + sizeof(ulong) + sizeof(float) + 1 + sizeof(uint) + id.Length];
        (bytes[0], bytes[1]) = (PlaybackStateCode, (byte)status);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(2), timeNs);
        BinaryPrimitives.WriteSingleLittleEndian(bytes.AsSpan(10), speed);
        bytes[14] = didSeek ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(15), (uint)id.Length);
        id.CopyTo(bytes, 19);
        return bytes;
    }

    private static byte[] Serialize(JsonObject message) => Encoding.UTF8.GetBytes(message.ToJsonString());

    private static JsonObject TimeOf(ulong timeNs) => new() { ["sec"] = timeNs / SecondNs, ["nsec"] = timeNs % SecondNs };
}
