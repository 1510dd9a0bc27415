using System.Buffers;
using Google.Protobuf;

namespace Sc2Bridge.Encoding;

/// <summary>Writes any message as canonical proto3 JSON (https://protobuf.dev/programming-guides/json), in UTF-8.</summary>
/// <remarks>
/// The game's enums are closed (proto2): a number that the contract does not know is left out, as every protobuf
/// library that reads the JSON would refuse the whole message for it.
/// </remarks>
public static class JsonWriter
{
    private static readonly JsonFormatter Formatter = new(JsonFormatter.Settings.Default);

    /// <summary>Appends the message's text.</summary>
    /// <param name="message">It is not changed.</param>
    /// <param name="output">Where the UTF-8 goes.</param>
    public static void Write(IMessage message, IBufferWriter<byte> output)
    {
        ArgumentNullException.ThrowIfNull(message);
        ArgumentNullException.ThrowIfNull(output);
        using var writer = new Utf8TextWriter(output);
        Formatter.Format(ClosedEnums.WithoutUnknown(message), writer);
    }
}
