using System.Buffers.Binary;
using System.Text;
using System.Text.Json.Nodes;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Foxglove;

/// <summary>How grave what a client is told is.</summary>
public enum StatusLevel
{
    /// <summary>Good to know.</summary>
    Info,

    /// <summary>Something is left out.</summary>
    Warning,

    /// <summary>The client asked for what it does not get.</summary>
    Error,
}

/// <summary>How a playback stands.</summary>
public enum PlaybackStatus : byte
{
    /// <summary>It goes on.</summary>
    Playing,

    /// <summary>It waits for a request.</summary>
    Paused,

    /// <summary>It is at its end; 2 is Foxglove's "buffering", which no playback here does.</summary>
    Ended = 3,
}

/// <summary>What the bridge says, by Foxglove's WebSocket protocol.</summary>
public static class ServerMessage
{
    /// <summary>Bytes of <see cref="WriteMessageHead"/>.</summary>
    public const int MessageHeadLength = 1 + sizeof(uint) + sizeof(ulong);

    private const byte MessageCode = 1;
    private const byte TimeCode = 2;
    private const byte PlaybackStateCode = 5;
    private const ulong SecondNs = 1_000_000_000;

    /// <summary>The first message: what this is and what it offers.</summary>
    /// <param name="sessionId">The same for all who watch the same match.</param>
    /// <param name="metadata">Named texts.</param>
    /// <param name="played">From when to when what can be controlled is; null where nothing can.</param>
    public static byte[] Info(string sessionId, IReadOnlyDictionary<string, string> metadata, (ulong StartNs, ulong EndNs)? played)
    {
        ArgumentNullException.ThrowIfNull(metadata);
        var info = new JsonObject
        {
            ["op"] = "serverInfo",
            ["name"] = "sc2bridge",
            ["capabilities"] = played is null ? new JsonArray("time") : new JsonArray("time", "playbackControl"),
            ["supportedEncodings"] = new JsonArray(),
            ["metadata"] = new JsonObject(metadata.Select(one => KeyValuePair.Create(one.Key, (JsonNode?)one.Value))),
            ["sessionId"] = sessionId,
        };
        if (played is var (start, end))
        {
            (info["dataStartTime"], info["dataEndTime"]) = (TimeOf(start), TimeOf(end));
        }

        return Text(info);
    }

    /// <summary>The channels that there are, numbered from 1 in their order.</summary>
    public static byte[] Advertise(IEnumerable<FoxgloveTopic> topics) => Text(new JsonObject
    {
        ["op"] = "advertise",
        ["channels"] = new JsonArray([.. topics.Select((topic, index) => new JsonObject
        {
            ["id"] = index + 1,
            ["topic"] = topic.Name,
            ["encoding"] = "protobuf",
            ["schemaName"] = topic.Message.FullName,
            ["schema"] = Convert.ToBase64String(ProtobufSchema.Of(topic.Message)),
            ["schemaEncoding"] = "protobuf",
        })]),
    });

    /// <summary>One clear line for the person in front of it.</summary>
    public static byte[] Status(StatusLevel level, string message) =>
        Text(new JsonObject { ["op"] = "status", ["level"] = (int)level, ["message"] = message });

    /// <summary>Writes what stands before a channel's message.</summary>
    /// <param name="to">Has <see cref="MessageHeadLength"/> bytes.</param>
    /// <param name="subscription">The client's number.</param>
    /// <param name="timeNs">The message's time.</param>
    public static void WriteMessageHead(Span<byte> to, uint subscription, ulong timeNs)
    {
        to[0] = MessageCode;
        BinaryPrimitives.WriteUInt32LittleEndian(to[1..], subscription);
        BinaryPrimitives.WriteUInt64LittleEndian(to[5..], timeNs);
    }

    /// <summary>What time it is in what is shown.</summary>
    public static byte[] Time(ulong timeNs)
    {
        var bytes = new byte[1 + sizeof(ulong)];
        bytes[0] = TimeCode;
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(1), timeNs);
        return bytes;
    }

    /// <summary>How the playback stands (foxglove.sdk.v1).</summary>
    /// <param name="status">Whether it goes on.</param>
    /// <param name="timeNs">Where it is.</param>
    /// <param name="speed">As a factor of real time.</param>
    /// <param name="didSeek">Whether it has just moved.</param>
    /// <param name="requestId">Of the request that this answers; empty where it answers none.</param>
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

    private static byte[] Text(JsonObject message) => Encoding.UTF8.GetBytes(message.ToJsonString());

    private static JsonObject TimeOf(ulong timeNs) => new() { ["sec"] = timeNs / SecondNs, ["nsec"] = timeNs % SecondNs };
}
