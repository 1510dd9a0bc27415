using Google.Protobuf;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings;

/// <summary>
/// Writes a message object as canonical proto3 JSON, in UTF-8. For a serialized message, use <see cref="WireToJson"/>.
/// </summary>
public static class JsonWriter
{
    /// <summary>Appends the message's text.</summary>
    /// <param name="message">The message. It is not changed.</param>
    /// <param name="output">The buffer to which the text is appended. No other thread may use it.</param>
    public static void Write(IMessage message, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(message);
        ArgumentNullException.ThrowIfNull(output);
        using var writer = new WireToJson(message.Descriptor);
        writer.Write(message.ToByteArray(), output);
    }
}
