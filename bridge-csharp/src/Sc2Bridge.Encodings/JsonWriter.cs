using Google.Protobuf;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings;

/// <summary>
/// Writes a message that is at hand as an object as canonical proto3 JSON, in UTF-8; one that is bytes already is for
/// <see cref="WireToJson"/>.
/// </summary>
public static class JsonWriter
{
    /// <summary>Appends the message's text.</summary>
    /// <param name="message">It is not changed.</param>
    /// <param name="output">Where the UTF-8 goes; held by the caller alone.</param>
    public static void Write(IMessage message, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(message);
        ArgumentNullException.ThrowIfNull(output);
        using var writer = new WireToJson(message.Descriptor);
        writer.Write(message.ToByteArray(), output);
    }
}
