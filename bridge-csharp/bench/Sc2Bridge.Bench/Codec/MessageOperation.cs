using Google.Protobuf;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Bench;

/// <summary>Something that is done with one message, again and again.</summary>
/// <param name="Message">The message's name.</param>
/// <param name="Format"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Library">Whose code.</param>
/// <param name="Verb"><c>write</c> or <c>read</c>.</param>
/// <param name="UsedBytes">
/// What the result is worth in memory: the bytes written, or those of the serialized message that is read.
/// </param>
/// <param name="Do">The operation; what it gives is kept, so that it is not optimized away.</param>
internal sealed record MessageOperation(
    string Message, string Format, string Library, string Verb, int UsedBytes, Func<object?> Do)
{
    /// <summary>Every operation on every message.</summary>
    public static IEnumerable<MessageOperation> Of(IEnumerable<MessageCase> cases) => cases.SelectMany(Of);

    private static IEnumerable<MessageOperation> Of(MessageCase one)
    {
        var (name, message) = one;
        var parser = message.Descriptor.Parser;
        var wire = message.ToByteArray();
        var buffer = new byte[wire.Length];
        var text = JsonFormatter.Default.Format(message);
        var utf8 = System.Text.Encoding.UTF8.GetBytes(text);
        yield return new(name, "protobuf", "Google.Protobuf", "write", wire.Length, () =>
        {
            _ = message.CalculateSize();
            message.WriteTo(buffer.AsSpan());
            return buffer;
        });
        yield return new(name, "protobuf", "Google.Protobuf", "read", wire.Length, () => parser.ParseFrom(wire));
        yield return new(
            name, "JSON", "JsonFormatter", "write", utf8.Length, () => JsonFormatter.Default.Format(message));
        yield return new(
            name, "JSON", "JsonParser", "read", wire.Length, () => JsonParser.Default.Parse(text, message.Descriptor));
        var transcoder = new WireToJson(message.Descriptor);
        var output = MessageBuffer.Rent(utf8.Length * 2);
        yield return new(name, "JSON", "ours", "write", utf8.Length, () =>
        {
            output.Clear();
            transcoder.Write(wire, output);
            return output;
        });
        yield return new(name, "JSON", "ours", "read", wire.Length, () =>
        {
            output.Clear();
            JsonReader.Read(utf8, message.Descriptor, output);
            return output;
        });
    }
}
