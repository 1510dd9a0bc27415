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
    // A shorter message makes at most some 50 MB of objects. Observations without images are shorter.
    private const int Short = 256 << 10;

    private const int ObjectBytes = 32;
    private const int NumberBytes = 8;
    private const int ListBytes = 40;
    private const int UnknownBytes = 128;
    private const int DeepestMessage = 100; // Google.Protobuf's limit of nesting

    private static readonly ConcurrentDictionary<MessageDescriptor, int> Sizes = new();

    /// <summary>Checks that a message may be parsed.</summary>
    /// <typeparam name="T">Its type.</typeparam>
    /// <param name="message">The message.</param>
    /// <param name="offset">Of its place in the file, for the error.</param>
    /// <param name="what">Its name in the error.</param>
    /// <exception cref="McapException">It would take more than <see cref="McapLimits.Parsed"/>.</exception>
    public static void Check<T>(ReadOnlySpan<byte> message, long offset, string what)
        where T : IMessage<T>, new()
    {
        if (message.Length > Short && !Fits(new T().Descriptor, message))
        {
            throw new McapException(
                $"{what} would take more than {McapLimits.Parsed} bytes of memory",
                offset,
                "no match has such a message, record it again");
        }
    }

    /// <summary>Whether readers accept a message.</summary>
    public static bool IsReadable(IMessage message)
    {
        var size = message.CalculateSize();
        return size <= Short || (size <= McapLimits.Message && Fits(message.Descriptor, message.ToByteArray()));
    }

    private static bool Fits(MessageDescriptor type, ReadOnlySpan<byte> message)
    {
        long left = McapLimits.Parsed;
        return Fits(type, message, ref left, depth: 0);
    }

    // Stops at a field that is damaged: the parser reports it.
    private static bool Fits(MessageDescriptor type, ReadOnlySpan<byte> message, ref long left, int depth)
    {
        left -= Sizes.GetOrAdd(type, SizeOf);
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
                Fits(field.MessageType, reader.Content, ref left, depth + 1);
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
}
