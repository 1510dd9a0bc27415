using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Checks the memory of a recording's messages before they are parsed.</summary>
internal static class ParsedSize
{
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
        if (!ParsedMemory.Fits(TypeOf<T>.Descriptor, message, McapLimits.Parsed))
        {
            throw new McapException(
                $"{what}{(step is null ? "" : $" of step {step}")} would take more than {McapLimits.Parsed} bytes of memory",
                offset,
                "no match has such a message, record it again");
        }
    }

    /// <summary>Whether readers accept a message.</summary>
    public static bool IsReadable(IMessage message) =>
        message.CalculateSize() <= McapLimits.Message && ParsedMemory.Fits(message, McapLimits.Parsed);

    private static class TypeOf<T>
        where T : IMessage<T>, new()
    {
        public static readonly MessageDescriptor Descriptor = new T().Descriptor;
    }
}
