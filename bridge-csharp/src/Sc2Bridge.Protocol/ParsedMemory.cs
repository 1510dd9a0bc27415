using System.Collections.Concurrent;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Protocol;

/// <summary>
/// Estimates from a message's bytes how much memory its parsed objects need. An empty nested message takes two bytes,
/// but its object takes about a hundred.
/// </summary>
public static class ParsedMemory
{
    // If a nested message is shorter, the first estimate only multiplies its length by MaxPerByte, because reading the fields
    // would take longer than parsing the message. If the first estimate is over the limit, a second estimate reads all fields.
    private const int ShortMessageBytes = 4 << 10;

    private const int ObjectBytes = 32;
    private const int NumberBytes = 8;
    private const int ListBytes = 40;
    private const int UnknownBytes = 128;
    private const int DeepestMessage = 100; // Google.Protobuf's limit of nesting

    private static readonly ConcurrentDictionary<MessageDescriptor, int> ObjectSizes = new();
    private static readonly ConcurrentDictionary<MessageDescriptor, int> MaxPerByteCache = new();

    /// <summary>Whether a parsed message needs at most the given memory.</summary>
    /// <param name="type">The message's type.</param>
    /// <param name="message">The serialized message.</param>
    /// <param name="maxBytes">The limit in bytes.</param>
    public static bool Fits(MessageDescriptor type, ReadOnlySpan<byte> message, long maxBytes)
    {
        ArgumentNullException.ThrowIfNull(type);
        var (roughlyLeft, exactlyLeft) = (maxBytes, maxBytes);
        return UpperBound(type, message.Length) <= maxBytes
            || TrySubtract(type, message, ref roughlyLeft, MaxPerByte(type), depth: 0)
            || TrySubtract(type, message, ref exactlyLeft, maxPerByte: 0, depth: 0);
    }

    /// <summary>Whether a parsed message needs at most the given memory.</summary>
    /// <param name="message">The message.</param>
    /// <param name="maxBytes">The limit in bytes.</param>
    public static bool Fits(IMessage message, long maxBytes)
    {
        ArgumentNullException.ThrowIfNull(message);
        return UpperBound(message.Descriptor, message.CalculateSize()) <= maxBytes || Fits(message.Descriptor, message.ToByteArray(), maxBytes);
    }

    /// <summary>The memory that a parsed message needs, in bytes.</summary>
    /// <param name="message">The message.</param>
    /// <param name="maxBytes">Counting stops above this limit.</param>
    public static long EstimateBytes(IMessage message, long maxBytes)
    {
        ArgumentNullException.ThrowIfNull(message);
        var (type, remaining) = (message.Descriptor, maxBytes);
        if (UpperBound(type, message.CalculateSize()) is var upperBound and <= ShortMessageBytes)
        {
            return upperBound;
        }

        TrySubtract(type, message.ToByteArray(), ref remaining, maxPerByte: 0, depth: 0);
        return maxBytes - remaining;
    }

    private static long UpperBound(MessageDescriptor type, int length) => ObjectSizes.GetOrAdd(type, SizeOf) + ((long)MaxPerByte(type) * length);

    // Subtracts the memory of a message from the remaining bytes. Stops at a malformed field, which the parser reports later. If
    // maxPerByte is 0, the fields of short messages are read too.
    private static bool TrySubtract(MessageDescriptor type, ReadOnlySpan<byte> message, ref long remaining, int maxPerByte, int depth)
    {
        remaining -= ObjectSizes.GetOrAdd(type, SizeOf);
        if (maxPerByte > 0 && depth > 0 && message.Length < ShortMessageBytes)
        {
            remaining -= (long)maxPerByte * message.Length;
            return remaining >= 0;
        }

        var reader = new WireReader(message);
        while (remaining >= 0 && reader.TryNext())
        {
            var field = type.FindFieldByNumber(reader.Field);
            if (reader.Type == WireFormat.WireType.StartGroup)
            {
                remaining = -1; // No message of the API has groups.
            }
            else if (field?.FieldType == FieldType.Message && depth < DeepestMessage)
            {
                TrySubtract(field.MessageType, reader.Content, ref remaining, maxPerByte, depth + 1);
            }
            else
            {
                remaining -= field switch
                {
                    { FieldType: FieldType.Bytes } => ObjectBytes + reader.Content.Length,
                    { FieldType: FieldType.String } => ObjectBytes + (sizeof(char) * reader.Content.Length),
                    not null when reader.Type != WireFormat.WireType.LengthDelimited => NumberBytes,
                    { IsRepeated: true } => NumberBytes * (long)reader.Content.Length,
                    _ => UnknownBytes + reader.Content.Length, // An unknown field, or a known field of another wire type.
                };
            }
        }

        return remaining >= 0;
    }

    private static int SizeOf(MessageDescriptor type) =>
        ObjectBytes + type.Fields.InDeclarationOrder().Sum(field => field.IsRepeated ? ListBytes : NumberBytes);

    // The most memory for one byte: half the memory of an unknown field or of an empty nested message, because each is at least two bytes long.
    private static int MaxPerByte(MessageDescriptor root) => MaxPerByteCache.GetOrAdd(root, static root =>
    {
        HashSet<MessageDescriptor> types = [root];
        for (var before = 0; before < types.Count;)
        {
            before = types.Count;
            types.UnionWith(
                [.. types.SelectMany(type => type.Fields.InDeclarationOrder())
                    .Where(field => field.FieldType == FieldType.Message)
                    .Select(field => field.MessageType)]);
        }

        return Math.Max(UnknownBytes, types.Max(SizeOf)) / 2;
    });
}
