using System.Buffers;
using System.Text;
using System.Text.Unicode;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings;

/// <summary>Reads messages in proto3 JSON (https://protobuf.dev/programming-guides/json), in UTF-8.</summary>
/// <remarks>
/// It takes what the mapping allows: names in lowerCamelCase or as in the contract, numbers plain or in quotes, enums
/// by name or number, null for what is not set, base64 of either alphabet, padded or not. It refuses what other
/// libraries may let pass: a field named twice, also by its two names, unknown fields, white space in base64, comments,
/// text behind the end. Whole numbers of 64 bits are read exactly, plain ones too.
/// </remarks>
public static class JsonReader
{
    /// <summary>
    /// How deep objects and lists may stand in each other. The contract's own depth is 13 (a unit's order's target in a
    /// frame); the rest is room for it to grow.
    /// </summary>
    public const int DeepestNesting = 32;

    /// <summary>The longest text that is read, in bytes, unless told otherwise: 64 MiB.</summary>
    public const int LongestText = 64 << 20;

    /// <summary>Parses a message of an agent.</summary>
    /// <param name="utf8">The whole text.</param>
    /// <param name="parse">Parses the wire bytes, and may refuse them. Null: every message is parsed.</param>
    /// <exception cref="EncodingException">
    /// It is no UTF-8, no JSON, names a field that the contract does not know, has a value of the wrong kind, or is
    /// nested too deeply. The message names the field and what it may hold.
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

    /// <summary>Reads any message of the contracts into its wire bytes.</summary>
    /// <param name="utf8">The whole text.</param>
    /// <param name="type">What it must be.</param>
    /// <param name="wire">The bytes are appended; after an error it is as it was. Held by the caller alone.</param>
    /// <param name="longest">The most bytes of text.</param>
    /// <exception cref="EncodingException">As of <see cref="ReadPlayRequest"/>, or the text is too long.</exception>
    /// <exception cref="NotSupportedException">The type has fields of a kind that neither contract has.</exception>
    public static void Read(
        ReadOnlySpan<byte> utf8, MessageDescriptor type, MessageBuffer wire, int longest = LongestText)
    {
        ArgumentNullException.ThrowIfNull(type);
        ArgumentNullException.ThrowIfNull(wire);
        if (utf8.Length > longest)
        {
            throw new EncodingException(
                $"The text is no {type.Name}: it has {utf8.Length} bytes, and {longest} is the most.");
        }

        if (!Utf8.IsValid(utf8))
        {
            throw new EncodingException($"The text is no {type.Name}: it is not UTF-8 at byte {InvalidByte(utf8)}.");
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

    private static int InvalidByte(ReadOnlySpan<byte> utf8)
    {
        var at = 0;
        while (Rune.DecodeFromUtf8(utf8[at..], out _, out var length) == OperationStatus.Done)
        {
            at += length;
        }

        return at;
    }
}
