using System.Buffers.Binary;
using System.Text;
using System.Text.Json;

namespace Sc2Bridge.Foxglove;

/// <summary>The bytes of a client are not a message of Foxglove's protocol. The exception's message gives the reason in one line.</summary>
public sealed class FoxgloveMessageException(string message, Exception? inner = null) : Exception(message, inner);

/// <summary>
/// A client's message in Foxglove's WebSocket protocol (https://github.com/foxglove/foxglove-sdk). The subprotocols are
/// foxglove.sdk.v1 and foxglove.websocket.v1. The latter has no playback messages.
/// </summary>
public abstract record ClientMessage
{
    private const byte PlaybackControlCode = 3;

    private ClientMessage()
    {
    }

    /// <summary>Subscribes to channels.</summary>
    /// <param name="Subscriptions">For each subscription, the id that the client chose, and the id of the channel.</param>
    public sealed record Subscribe(IReadOnlyList<(uint Id, ulong Channel)> Subscriptions) : ClientMessage;

    /// <summary>Ends subscriptions.</summary>
    /// <param name="Ids">The client's subscription ids.</param>
    public sealed record Unsubscribe(IReadOnlyList<uint> Ids) : ClientMessage;

    /// <summary>Controls the playback.</summary>
    /// <param name="IsPaused">True to pause, false to play.</param>
    /// <param name="Speed">A factor of real time.</param>
    /// <param name="SeekNs">The time to jump to, in nanoseconds; null for no jump.</param>
    /// <param name="RequestId">The id of the request; the answer repeats it.</param>
    public sealed record PlaybackControl(bool IsPaused, float Speed, ulong? SeekNs, string RequestId) : ClientMessage;

    /// <summary>A message that this bridge does not support.</summary>
    /// <param name="Description">The name or kind of the message, for a warning.</param>
    public sealed record Other(string Description) : ClientMessage;

    /// <summary>Parses a text message.</summary>
    /// <exception cref="FoxgloveMessageException">The bytes are not a message of the protocol.</exception>
    public static ClientMessage ParseText(ReadOnlyMemory<byte> utf8)
    {
        try
        {
            using var json = JsonDocument.Parse(utf8);
            var op = RequireMember(json.RootElement, "op", JsonValueKind.String).GetString()!;
            return op switch
            {
                "subscribe" => new Subscribe(
                [
                    .. RequireMember(json.RootElement, "subscriptions", JsonValueKind.Array).EnumerateArray()
                        .Select(item => (Number(item, "id"), (ulong)Number(item, "channelId"))),
                ]),
                "unsubscribe" => new Unsubscribe(
                [
                    .. RequireMember(json.RootElement, "subscriptionIds", JsonValueKind.Array).EnumerateArray()
                        .Select(id => Number(id) ?? throw Malformed("\"subscriptionIds\" must contain only subscription ids")),
                ]),
                _ => new Other(op),
            };
        }
        catch (Exception malformed) when (malformed is JsonException or InvalidOperationException)
        {
            // InvalidOperationException: the text contains half of a surrogate pair.
            throw new FoxgloveMessageException("a text message is not valid JSON", malformed);
        }
    }

    /// <summary>Parses a binary message.</summary>
    /// <exception cref="FoxgloveMessageException">The bytes are not a message of the protocol.</exception>
    public static ClientMessage ParseBinary(ReadOnlySpan<byte> bytes)
    {
        const int headLength = 1 + 1 + sizeof(float) + 1 + sizeof(ulong) + sizeof(uint);
        if (bytes.IsEmpty)
        {
            throw Malformed("a binary message is empty");
        }

        if (bytes[0] != PlaybackControlCode)
        {
            return new Other($"a binary message of the kind {bytes[0]}");
        }

        if (bytes.Length < headLength)
        {
            throw Malformed($"a playback control request has {bytes.Length} bytes; expected at least {headLength}");
        }

        var idLength = BinaryPrimitives.ReadUInt32LittleEndian(bytes[15..]);
        if (idLength != bytes.Length - headLength)
        {
            throw Malformed($"the length of a request's id is {idLength} bytes, but {bytes.Length - headLength} bytes are left");
        }

        if (bytes[1] > 1)
        {
            throw Malformed($"the playback command {bytes[1]} is unknown: expected 0 (play) or 1 (pause)");
        }

        try
        {
            return new PlaybackControl(
                bytes[1] == 1,
                BinaryPrimitives.ReadSingleLittleEndian(bytes[2..]),
                bytes[6] == 0 ? null : BinaryPrimitives.ReadUInt64LittleEndian(bytes[7..]),
                new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(bytes[headLength..]));
        }
        catch (DecoderFallbackException malformed)
        {
            throw new FoxgloveMessageException("a request's id is not valid UTF-8", malformed);
        }
    }

    private static JsonElement RequireMember(JsonElement parent, string name, JsonValueKind kind) =>
        parent.ValueKind == JsonValueKind.Object && parent.TryGetProperty(name, out var member) && member.ValueKind == kind
            ? member
            : throw Malformed($"a message needs a member \"{name}\" of the type {kind}");

    private static uint Number(JsonElement parent, string name) =>
        Number(RequireMember(parent, name, JsonValueKind.Number)) ?? throw Malformed($"\"{name}\" must be a whole number from 0 to {uint.MaxValue}");

    private static uint? Number(JsonElement value) =>
        value.ValueKind == JsonValueKind.Number && value.TryGetUInt32(out var number) ? number : null;

    private static FoxgloveMessageException Malformed(string problem) => new(problem);
}
