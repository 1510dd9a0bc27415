using System.Buffers;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>Events in canonical proto3 JSON, written from the same events in protobuf.</summary>
internal static class FrameText
{
    // A thread keeps a copy of its last message up to this length.
    private const int LongestKept = 1 << 20;

    [ThreadStatic]
    private static WireToJson? _writer;

    /// <summary>Appends an event whose payload is compressed.</summary>
    /// <param name="head">The event in protobuf, up to the payload's bytes.</param>
    /// <param name="payload">The rest of it.</param>
    /// <param name="output">Where to; may hold the event.</param>
    public static void Write(ReadOnlySpan<byte> head, ReadOnlySpan<byte> payload, MessageBuffer output)
    {
        var writer = _writer ??= new WireToJson(V1.PlayResponse.Descriptor);
        writer.Write(head, payload, output);
        if (head.Length + payload.Length > LongestKept)
        {
            _writer = null;
        }
    }

    /// <summary>
    /// Appends the beginning of a frame's shared text, up to <c>content</c>, followed by one subscriber's own fields.
    /// </summary>
    /// <param name="output">Where to.</param>
    /// <param name="own"><see cref="Delivery.OwnFields"/>, something.</param>
    /// <param name="shared">The text.</param>
    /// <returns>Where the rest of the text begins.</returns>
    public static int Insert(MessageBuffer output, ReadOnlySpan<byte> own, ReadOnlySpan<byte> shared)
    {
        // Within a string the quotes would be escaped.
        var at = shared.IndexOf("\"content\":"u8);
        output.Write(shared[..at]);
        using var json = new WireToJson(V1.Frame.Descriptor);
        json.Write(own, output);

        // The opening bracket is where the text so far ends, the closing one becomes a comma.
        var fields = output.Array.AsSpan(MessageBuffer.Headroom + at, output.Length - at);
        fields[1..^1].CopyTo(fields);
        fields[^2] = (byte)',';
        output.Truncate(output.Length - 1);
        return at;
    }
}
