using System.Buffers.Binary;
using System.Text;
using System.Text.Json;

namespace Sc2Bridge.Foxglove;

/// <summary>A client's bytes are no message of Foxglove's protocol; the text says why in one line.</summary>
public sealed class FoxgloveMessageException(string message, Exception? inner = null) : Exception(message, inner);

/// <summary>
/// What a client says, by Foxglove's WebSocket protocol (https://github.com/foxglove/foxglove-sdk, foxglove.sdk.v1; and
/// foxglove.websocket.v1, which has the same messages but those of playback).
/// </summary>
public abstract record ClientMessage
{
    private const byte PlaybackControlCode = 3;

    private ClientMessage()
    {
    }

    /// <summary>Wants the messages of channels.</summary>
    /// <param name="Subscriptions">The client's number of each, and the channel's.</param>
    public sealed record Subscribe(IReadOnlyList<(uint Id, ulong Channel)> Subscriptions) : ClientMessage;

    /// <summary>Wants them no more.</summary>
    /// <param name="Ids">The client's numbers.</param>
    public sealed record Unsubscribe(IReadOnlyList<uint> Ids) : ClientMessage;

    /// <summary>Controls the playback.</summary>
    /// <param name="IsPaused">Pause, or play.</param>
    /// <param name="Speed">As a factor of real time.</param>
    /// <param name="SeekNs">Where to go first; null: it stays where it is.</param>
    /// <param name="RequestId">Repeated in the answer.</param>
    public sealed record PlaybackControl(bool IsPaused, float Speed, ulong? SeekNs, string RequestId) : ClientMessage;

    /// <summary>Anything that this bridge does not offer.</summary>
    /// <param name="What">How the client calls it.</param>
    public sealed record Other(string What) : ClientMessage;

    /// <summary>Parses a text message.</summary>
    /// <exception cref="FoxgloveMessageException">It is none.</exception>
    public static ClientMessage ParseText(ReadOnlyMemory<byte> utf8)
    {
        try
        {
            using var json = JsonDocument.Parse(utf8);
            var op = Member(json.RootElement, "op", JsonValueKind.String).GetString()!;
            return op switch
            {
                "subscribe" => new Subscribe(
                [
                    .. Member(json.RootElement, "subscriptions", JsonValueKind.Array).EnumerateArray()
                        .Select(one => (Number(one, "id"), (ulong)Number(one, "channelId"))),
                ]),
                "unsubscribe" => new Unsubscribe(
                [
                    .. Member(json.RootElement, "subscriptionIds", JsonValueKind.Array).EnumerateArray()
                        .Select(id => Number(id) ?? throw Wrong("\"subscriptionIds\" holds what is no subscription's number")),
                ]),
                _ => new Other(op),
            };
        }
        catch (Exception malformed) when (malformed is JsonException or InvalidOperationException)
        {
            // The latter: a text with half of a surrogate pair.
            throw new FoxgloveMessageException("a text message is no JSON", malformed);
        }
    }

    /// <summary>Parses a binary message.</summary>
    /// <exception cref="FoxgloveMessageException">It is none.</exception>
    public static ClientMessage ParseBinary(ReadOnlySpan<byte> bytes)
    {
        const int head = 1 + 1 + sizeof(float) + 1 + sizeof(ulong) + sizeof(uint);
        if (bytes.IsEmpty)
        {
            throw Wrong("a binary message is empty");
        }

        if (bytes[0] != PlaybackControlCode)
        {
            return new Other($"a binary message of the kind {bytes[0]}");
        }

        if (bytes.Length < head)
        {
            throw Wrong($"a request to control the playback has {bytes.Length} bytes, less than {head}");
        }

        var idLength = BinaryPrimitives.ReadUInt32LittleEndian(bytes[15..]);
        if (idLength != bytes.Length - head)
        {
            throw Wrong($"a request's id says {idLength} bytes where {bytes.Length - head} are left");
        }

        if (bytes[1] > 1)
        {
            throw Wrong($"the playback command {bytes[1]} is unknown: there are 0 (play) and 1 (pause)");
        }

        try
        {
            return new PlaybackControl(
                bytes[1] == 1,
                BinaryPrimitives.ReadSingleLittleEndian(bytes[2..]),
                bytes[6] == 0 ? null : BinaryPrimitives.ReadUInt64LittleEndian(bytes[7..]),
                new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(bytes[head..]));
        }
        catch (DecoderFallbackException malformed)
        {
            throw new FoxgloveMessageException("a request's id is no UTF-8", malformed);
        }
    }

    private static JsonElement Member(JsonElement of, string name, JsonValueKind kind) =>
        of.ValueKind == JsonValueKind.Object && of.TryGetProperty(name, out var member) && member.ValueKind == kind
            ? member
            : throw Wrong($"a message has no \"{name}\", or not as {kind}");

    private static uint Number(JsonElement of, string name) =>
        Number(Member(of, name, JsonValueKind.Number)) ?? throw Wrong($"\"{name}\" is no number from 0 to {uint.MaxValue}");

    private static uint? Number(JsonElement value) =>
        value.ValueKind == JsonValueKind.Number && value.TryGetUInt32(out var number) ? number : null;

    private static FoxgloveMessageException Wrong(string what) => new(what);
}
