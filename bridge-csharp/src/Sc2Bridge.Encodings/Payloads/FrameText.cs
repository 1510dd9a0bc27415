using System.Buffers;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// Writes events around payloads in canonical proto3 JSON, in the order of the contract's fields: the payload comes
/// last.
/// </summary>
internal static class FrameText
{
    // Names, numbers and brackets of a frame and of a block.
    private const int Around = 600;

    // Escaped, a character of the match's name takes up to six bytes for each of its UTF-16 units.
    private const int Escaped = 6;

    [ThreadStatic]
    private static Utf8JsonWriter? _writer;

    /// <summary>An upper bound of the bytes of a block's shared text.</summary>
    public static int RoomFor(GroupBlock block, int first)
    {
        var room = Around + (FrameEnvelope.LongestMatchName * Escaped) + Base64(block);
        for (var index = first; index < block.Index; index++)
        {
            room += Base64(block.Group[index]);
        }

        return room;

        // With quotes, comma and an entry among the sizes.
        static int Base64(GroupBlock block) =>
            System.Buffers.Text.Base64.GetMaxEncodedToUtf8Length(block.Data.Length) + 16;
    }

    /// <summary>Appends a frame whose payload is text already.</summary>
    public static void Write(
        IBufferWriter<byte> output, in FrameHeader header, PayloadKind content, ReadOnlySpan<byte> json)
    {
        var writer = Begin(output, header, default, content);
        writer.WritePropertyName(content.JsonName);
        writer.WriteRawValue(json, skipInputValidation: true);
        End(writer);
    }

    /// <summary>Appends a frame whose payload is one zstd frame.</summary>
    public static void WriteZstd(
        IBufferWriter<byte> output, in FrameHeader header, PayloadKind content, ReadOnlySpan<byte> zstd)
    {
        var writer = Begin(output, header, default, content);
        writer.WriteBase64String("zstd"u8, zstd);
        End(writer);
    }

    /// <summary>Appends a frame whose payload is a block.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="header">The frame's.</param>
    /// <param name="own"><see cref="Delivery.OwnFields"/>.</param>
    /// <param name="content">What was compressed.</param>
    /// <param name="block">The frame's.</param>
    /// <param name="first">The first that the subscriber lacks; the block's own index for none.</param>
    public static void Write(
        IBufferWriter<byte> output, in FrameHeader header, ReadOnlySpan<byte> own, PayloadKind content, GroupBlock block, int first)
    {
        var group = block.Group;
        var writer = Begin(output, header, own, content);
        writer.WriteStartObject("block"u8);
        Long(writer, "group"u8, (long)group.Number);
        Number(writer, "index"u8, (uint)block.Index);
        Number(writer, "windowLog"u8, (uint)group.WindowLog);
        Number(writer, "size"u8, (uint)block.Size);
        if (first < block.Index)
        {
            writer.WriteStartArray("earlierSizes"u8);
            for (var index = first; index < block.Index; index++)
            {
                writer.WriteNumberValue(group[index].Size);
            }

            writer.WriteEndArray();
            writer.WriteStartArray("earlier"u8);
            for (var index = first; index < block.Index; index++)
            {
                writer.WriteBase64StringValue(group[index].Data.Span);
            }

            writer.WriteEndArray();
        }

        writer.WriteBase64String("data"u8, block.Data.Span);
        writer.WriteEndObject();
        End(writer);
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
        var text = MessageBuffer.Rent();
        try
        {
            output.Write(Properties(own, text));
            output.Write(","u8);
        }
        finally
        {
            text.Release();
        }

        return at;
    }

    // The properties, without brackets.
    private static ReadOnlySpan<byte> Properties(ReadOnlySpan<byte> own, MessageBuffer text)
    {
        using var json = new WireToJson(V1.Frame.Descriptor);
        json.Write(own, text);
        return text.Written.Span[1..^1];
    }

    private static Utf8JsonWriter Begin(
        IBufferWriter<byte> output, in FrameHeader header, ReadOnlySpan<byte> own, PayloadKind content)
    {
        var writer = _writer ??= new Utf8JsonWriter(
            output, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true });
        writer.Reset(output);
        writer.WriteStartObject();
        writer.WriteStartObject("frame"u8);
        if (header.MatchId.Length > 0)
        {
            writer.WriteString("matchId"u8, header.MatchId);
        }

        writer.WriteNumber("perspective"u8, header.Perspective);
        Unsigned(writer, "step"u8, header.Step);
        Number(writer, "gameLoop"u8, header.GameLoop);
        Long(writer, "requestedNs"u8, header.RequestedNs);
        Long(writer, "observedNs"u8, header.ObservedNs);
        if (!own.IsEmpty)
        {
            var text = MessageBuffer.Rent();
            try
            {
                // Properties behind the others: what validates would want a name before a value.
                writer.WriteRawValue(Properties(own, text), skipInputValidation: true);
            }
            finally
            {
                text.Release();
            }
        }

        writer.WriteString("content"u8, content.Content == V1.Content.Columns ? "CONTENT_COLUMNS"u8 : "CONTENT_OBSERVATION"u8);
        return writer;
    }

    private static void End(Utf8JsonWriter writer)
    {
        writer.WriteEndObject();
        writer.WriteEndObject();
        writer.Flush();

        // The writer outlives the buffer.
        writer.Reset(Nowhere);
    }

    private static readonly ArrayBufferWriter<byte> Nowhere = new();

    // Zeros are left out, and 64-bit numbers are strings (https://protobuf.dev/programming-guides/json).
    private static void Number(Utf8JsonWriter writer, ReadOnlySpan<byte> name, uint value)
    {
        if (value != 0)
        {
            writer.WriteNumber(name, value);
        }
    }

    private static void Unsigned(Utf8JsonWriter writer, ReadOnlySpan<byte> name, ulong value)
    {
        if (value != 0)
        {
            Span<char> digits = stackalloc char[20];
            value.TryFormat(digits, out var length, default, CultureInfo.InvariantCulture);
            writer.WriteString(name, digits[..length]);
        }
    }

    private static void Long(Utf8JsonWriter writer, ReadOnlySpan<byte> name, long value)
    {
        if (value != 0)
        {
            Span<char> digits = stackalloc char[20];
            value.TryFormat(digits, out var length, default, CultureInfo.InvariantCulture);
            writer.WriteString(name, digits[..length]);
        }
    }
}
