using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Refuses messages whose objects would take too much memory, before the messages are parsed.</summary>
internal static class ParsedSize
{
    /// <summary>Checks that a message may be parsed.</summary>
    /// <typeparam name="T">The message type.</typeparam>
    /// <param name="message">The message.</param>
    /// <param name="offset">The offset of the message's region in the file, for the error.</param>
    /// <param name="what">The message's name in the error.</param>
    /// <param name="step">The message's step, for the error; null if the message has no step.</param>
    /// <exception cref="McapException">The message's objects would take more than <see cref="McapLimits.Parsed"/>.</exception>
    public static void Check<T>(ReadOnlySpan<byte> message, long offset, string what, ulong? step = null)
        where T : IMessage<T>, new()
    {
        if (!ParsedMemory.Fits(TypeOf<T>.Descriptor, message, McapLimits.Parsed))
        {
            throw new McapException(
                $"{what}{(step is null ? "" : $" of step {step}")} would take more than {McapLimits.Parsed} bytes of memory",
                offset,
                "no match has such a message; record the match again");
        }
    }

    /// <summary>Whether readers of recordings accept a message.</summary>
    public static bool IsReadable(IMessage message) =>
        message.CalculateSize() <= McapLimits.Message && ParsedMemory.Fits(message, McapLimits.Parsed);

    private static class TypeOf<T>
        where T : IMessage<T>, new()
    {
        public static readonly MessageDescriptor Descriptor = new T().Descriptor;
    }
}
