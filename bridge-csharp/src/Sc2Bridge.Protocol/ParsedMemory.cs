using System.Collections.Concurrent;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Protocol;

/// <summary>
/// Estimates the memory that a message's objects take from its bytes: an empty message inside another takes two bytes, and
/// its object some hundred.
/// </summary>
public static class ParsedMemory
{
    // Shorter messages inside others are counted with the most that their bytes could make, because walking through them
    // takes longer than parsing. If a message is then too large, it is walked through as a whole.
    private const int Short = 4 << 10;

    private const int ObjectBytes = 32;
    private const int NumberBytes = 8;
    private const int ListBytes = 40;
    private const int UnknownBytes = 128;
    private const int DeepestMessage = 100; // Google.Protobuf's limit of nesting

    private static readonly ConcurrentDictionary<MessageDescriptor, int> Sizes = new();
    private static readonly ConcurrentDictionary<MessageDescriptor, int> MostOfBytes = new();

    /// <summary>Whether a message takes no more than that.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="message">Its bytes.</param>
    /// <param name="most">The most that it may take, in bytes.</param>
    public static bool Fits(MessageDescriptor type, ReadOnlySpan<byte> message, long most)
    {
        ArgumentNullException.ThrowIfNull(type);
        var (roughly, exactly) = (most, most);
        return AtMost(type, message.Length) <= most
            || Fits(type, message, ref roughly, MostOfByte(type), depth: 0)
            || Fits(type, message, ref exactly, mostOfByte: 0, depth: 0);
    }

    /// <summary>Whether a message takes no more than that.</summary>
    /// <param name="message">The message.</param>
    /// <param name="most">As above.</param>
    public static bool Fits(IMessage message, long most)
    {
        ArgumentNullException.ThrowIfNull(message);
        return AtMost(message.Descriptor, message.CalculateSize()) <= most || Fits(message.Descriptor, message.ToByteArray(), most);
    }

    /// <summary>The memory of a message, in bytes.</summary>
    /// <param name="message">The message.</param>
    /// <param name="most">The count ends above this.</param>
    public static long Of(IMessage message, long most)
    {
        ArgumentNullException.ThrowIfNull(message);
        var (type, left) = (message.Descriptor, most);
        if (AtMost(type, message.CalculateSize()) is var little and <= Short)
        {
            return little;
        }

        Fits(type, message.ToByteArray(), ref left, mostOfByte: 0, depth: 0);
        return most - left;
    }

    private static long AtMost(MessageDescriptor type, int length) => Sizes.GetOrAdd(type, SizeOf) + ((long)MostOfByte(type) * length);

    // Stops at a field that is damaged: the parser reports it. If mostOfByte is 0, short messages are walked through too.
    private static bool Fits(MessageDescriptor type, ReadOnlySpan<byte> message, ref long left, int mostOfByte, int depth)
    {
        left -= Sizes.GetOrAdd(type, SizeOf);
        if (mostOfByte > 0 && depth > 0 && message.Length < Short)
        {
            left -= (long)mostOfByte * message.Length;
            return left >= 0;
        }

        var reader = new WireReader(message);
        while (left >= 0 && reader.TryNext())
        {
            var field = type.FindFieldByNumber(reader.Field);
            if (reader.Type == WireFormat.WireType.StartGroup)
            {
                left = -1; // No message has groups.
            }
            else if (field?.FieldType == FieldType.Message && depth < DeepestMessage)
            {
                Fits(field.MessageType, reader.Content, ref left, mostOfByte, depth + 1);
            }
            else
            {
                left -= field switch
                {
                    { FieldType: FieldType.Bytes } => ObjectBytes + reader.Content.Length,
                    { FieldType: FieldType.String } => ObjectBytes + (sizeof(char) * reader.Content.Length),
                    not null when reader.Type != WireFormat.WireType.LengthDelimited => NumberBytes,
                    { IsRepeated: true } => NumberBytes * (long)reader.Content.Length,
                    _ => UnknownBytes + reader.Content.Length, // Also a known number with bytes of another type.
                };
            }
        }

        return left >= 0;
    }

    private static int SizeOf(MessageDescriptor type) =>
        ObjectBytes + type.Fields.InDeclarationOrder().Sum(field => field.IsRepeated ? ListBytes : NumberBytes);

    // The most that a byte can make: half an empty message inside another, or half an unknown field.
    private static int MostOfByte(MessageDescriptor root) => MostOfBytes.GetOrAdd(root, static root =>
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
