using System.Collections.Concurrent;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Estimates the memory of a serialized message's objects before it is parsed: an empty message inside another takes two
/// bytes of the file, and its object some hundred.
/// </summary>
internal static class ParsedSize
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

    /// <summary>Checks that a message may be parsed.</summary>
    /// <typeparam name="T">Its type.</typeparam>
    /// <param name="message">The message.</param>
    /// <param name="offset">Of its place in the file, for the error.</param>
    /// <param name="what">Its name in the error.</param>
    /// <param name="step">Its step, for the error; null if it has none.</param>
    /// <exception cref="McapException">It would take more than <see cref="McapLimits.Parsed"/>.</exception>
    public static void Check<T>(ReadOnlySpan<byte> message, long offset, string what, ulong? step = null)
        where T : IMessage<T>, new()
    {
        var type = TypeOf<T>.Descriptor;
        if (!IsSmall(type, message.Length) && !Fits(type, message))
        {
            throw new McapException(
                $"{what}{(step is null ? "" : $" of step {step}")} would take more than {McapLimits.Parsed} bytes of memory",
                offset,
                "no match has such a message, record it again");
        }
    }

    /// <summary>Whether readers accept a message.</summary>
    public static bool IsReadable(IMessage message)
    {
        var size = message.CalculateSize();
        return size <= McapLimits.Message && (IsSmall(message.Descriptor, size) || Fits(message.Descriptor, message.ToByteArray()));
    }

    private static bool IsSmall(MessageDescriptor type, int length) => (long)MostOfByte(type) * length <= McapLimits.Parsed;

    private static bool Fits(MessageDescriptor type, ReadOnlySpan<byte> message)
    {
        var (roughly, exactly) = ((long)McapLimits.Parsed, (long)McapLimits.Parsed);
        return Fits(type, message, ref roughly, MostOfByte(type), depth: 0) || Fits(type, message, ref exactly, mostOfByte: 0, depth: 0);
    }

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
                left -= field?.FieldType switch
                {
                    null => UnknownBytes + reader.Content.Length,
                    FieldType.Bytes => ObjectBytes + reader.Content.Length,
                    FieldType.String => ObjectBytes + (sizeof(char) * reader.Content.Length),
                    _ => NumberBytes * (long)reader.Content.Length,
                };
            }
        }

        return left >= 0;
    }

    private static int SizeOf(MessageDescriptor type) =>
        ObjectBytes + type.Fields.InDeclarationOrder().Sum(field => field.IsRepeated ? ListBytes : NumberBytes);

    // The most that a byte of the file can make: half an empty message inside another, or half an unknown field.
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

    private static class TypeOf<T>
        where T : IMessage<T>, new()
    {
        public static readonly MessageDescriptor Descriptor = new T().Descriptor;
    }
}
