using System.Buffers;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>Converts events from protobuf to canonical proto3 JSON.</summary>
internal static class FrameText
{
    // A writer keeps a copy of its last message. After a message above this size, the writer is dropped.
    private const int LongestKept = 1 << 20;

    [ThreadStatic]
    private static WireToJson? _writer;

    /// <summary>Appends an event whose payload is compressed.</summary>
    /// <param name="head">The event in protobuf, without the payload's bytes.</param>
    /// <param name="payload">The payload's bytes.</param>
    /// <param name="output">The buffer to which the text is appended. The other two arguments may also lie in this buffer.</param>
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
    /// Appends the start of a frame's shared text, up to the field <c>content</c>, and then one subscriber's own fields.
    /// </summary>
    /// <param name="output">The buffer to which the text is appended.</param>
    /// <param name="own"><see cref="Delivery.OwnFields"/>; not empty.</param>
    /// <param name="shared">The shared text.</param>
    /// <returns>The position at which the rest of the shared text continues.</returns>
    public static int Insert(MessageBuffer output, ReadOnlySpan<byte> own, ReadOnlySpan<byte> shared)
    {
        // No string in the text can contain this name, because its quotes would be escaped.
        var at = shared.IndexOf("\"content\":"u8);
        output.Write(shared[..at]);
        using var json = new WireToJson(V1.Frame.Descriptor);
        json.Write(own, output);

        // Removes the opening bracket of the own fields. Their closing bracket becomes a comma.
        var fields = output.Array.AsSpan(MessageBuffer.Headroom + at, output.Length - at);
        fields[1..^1].CopyTo(fields);
        fields[^2] = (byte)',';
        output.Truncate(output.Length - 1);
        return at;
    }
}
