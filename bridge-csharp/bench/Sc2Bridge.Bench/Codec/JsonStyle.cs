using Google.Protobuf;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Bench;

/// <summary>
/// One of the ways in which libraries write the same message as JSON. They differ in size, and not in what they say.
/// </summary>
/// <param name="Name">What sets it apart.</param>
/// <param name="Formatter">The stock formatter that writes it; null for the bridge's own compact text.</param>
/// <param name="BytesPerCharacter">2 where a string in memory is counted, as C# holds it; 1 in UTF-8.</param>
internal sealed record JsonStyle(string Name, JsonFormatter.Settings? Formatter, int BytesPerCharacter = 1)
{
    private static readonly JsonFormatter.Settings _stock = JsonFormatter.Settings.Default;
    private static readonly JsonFormatter.Settings _whole = _stock.WithFormatDefaultValues(true);

    public static IReadOnlyList<JsonStyle> All { get; } =
    [
        new("compact", null),
        new("JsonFormatter", _stock),
        new("JsonFormatter, two bytes a character", _stock, 2),
        new("JsonFormatter, absent fields written", _whole),
        new("JsonFormatter, indented", _stock.WithIndentation()),
        new("JsonFormatter, indented, absent fields written", _whole.WithIndentation()),
    ];

    /// <summary>The message in this style, in UTF-8.</summary>
    public byte[] Write(IMessage message)
    {
        if (Formatter is { } settings)
        {
            return System.Text.Encoding.UTF8.GetBytes(new JsonFormatter(settings).Format(message));
        }

        using var writer = new WireToJson(message.Descriptor);
        var text = MessageBuffer.Rent(1 << 20);
        writer.Write(message.ToByteArray(), text);
        var written = text.Written.ToArray();
        text.Release();
        return written;
    }

    /// <summary>How many bytes the message takes in this style.</summary>
    public long Size(IMessage message)
    {
        var text = Write(message);
        return BytesPerCharacter == 1 ? text.Length : System.Text.Encoding.UTF8.GetCharCount(text) * (long)BytesPerCharacter;
    }
}
