using System.Buffers;
using System.Text;
using System.Text.Unicode;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings;

/// <summary>Parses messages in proto3 JSON (https://protobuf.dev/programming-guides/json), in UTF-8.</summary>
/// <remarks>
/// The reader accepts everything that the JSON mapping allows. Fields may have lowerCamelCase or proto names. Numbers may be in quotes.
/// Enum values may be names or numbers. A field with the value null is not set. Base64 may use both alphabets, with or without padding.
/// This reader is stricter than some libraries: it refuses unknown fields, a field that is set twice (even by its two names), white space
/// in base64, comments, and text after the message. 64-bit whole numbers are exact, even without quotes.
/// </remarks>
public static class JsonReader
{
    /// <summary>
    /// The maximum nesting of objects and lists. The deepest message of the protocol has 13 levels (the target of a unit's order in a frame).
    /// </summary>
    public const int DeepestNesting = 32;

    /// <summary>The default for the maximum text size in bytes: 64 MiB.</summary>
    public const int LongestText = 64 << 20;

    /// <summary>Parses an agent's message.</summary>
    /// <param name="utf8">The whole text.</param>
    /// <param name="parse">Parses the wire bytes and may refuse them; null for the normal parser.</param>
    /// <exception cref="EncodingException">
    /// The text is not UTF-8 or not JSON, has an unknown field or a value of the wrong type, or is nested too deeply. The error message
    /// names the field and its valid values.
    /// </exception>
    public static PlayRequest ReadPlayRequest(ReadOnlySpan<byte> utf8, Func<ReadOnlySpan<byte>, PlayRequest>? parse = null)
    {
        var wire = MessageBuffer.Rent();
        try
        {
            Read(utf8, PlayRequest.Descriptor, wire);
            return parse is null ? PlayRequest.Parser.ParseFrom(wire.Written.Span) : parse(wire.Written.Span);
        }
        finally
        {
            wire.Release();
        }
    }

    /// <summary>Converts the JSON text of a message to protobuf.</summary>
    /// <param name="utf8">The whole text.</param>
    /// <param name="type">The expected type.</param>
    /// <param name="wire">The buffer to which the bytes are appended. It is unchanged after an error. No other thread may use it.</param>
    /// <param name="longest">The maximum size of the text in bytes.</param>
    /// <exception cref="EncodingException">See <see cref="ReadPlayRequest"/>; or the text is too long.</exception>
    /// <exception cref="NotSupportedException">A field has an unsupported type.</exception>
    public static void Read(
        ReadOnlySpan<byte> utf8, MessageDescriptor type, MessageBuffer wire, int longest = LongestText)
    {
        ArgumentNullException.ThrowIfNull(type);
        ArgumentNullException.ThrowIfNull(wire);
        if (utf8.Length > longest)
        {
            throw new EncodingException(
                $"The text is not a valid {type.Name}: it has {utf8.Length} bytes, and the maximum is {longest}.");
        }

        if (!Utf8.IsValid(utf8))
        {
            throw new EncodingException($"The text is not a valid {type.Name}: it is not UTF-8 at byte {FirstInvalidByte(utf8)}.");
        }

        var length = wire.Length;
        try
        {
            JsonToWire.Write(utf8, type, wire);
        }
        catch
        {
            wire.Truncate(length);
            throw;
        }
    }

    private static int FirstInvalidByte(ReadOnlySpan<byte> utf8)
    {
        var at = 0;
        while (Rune.DecodeFromUtf8(utf8[at..], out _, out var length) == OperationStatus.Done)
        {
            at += length;
        }

        return at;
    }
}
