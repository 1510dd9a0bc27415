using Sc2Bridge.Encodings.Json;

namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>Writes wire bytes as JSON text, and compares the text with the library's reading of the same bytes.</summary>
internal static class Writing
{
    private static readonly JsonParser Parser = new(JsonParser.Settings.Default);

    /// <summary>The JSON text of a serialized message.</summary>
    public static string Text(MessageDescriptor type, ReadOnlySpan<byte> wire)
    {
        using var writer = new WireToJson(type);
        return Text(writer, wire);
    }

    /// <summary>The same, with a writer that may have cached the previous message.</summary>
    public static string Text(WireToJson writer, ReadOnlySpan<byte> wire)
    {
        // Text before it must stay. The buffer is small, so that it must grow.
        var output = MessageBuffer.Rent(1);
        try
        {
            "before"u8.CopyTo(output.GetSpan(6));
            output.Advance(6);
            writer.Write(wire, output);
            Assert.True(output.Written.Span.StartsWith("before"u8));
            return System.Text.Encoding.UTF8.GetString(output.Written.Span[6..]);
        }
        finally
        {
            output.Release();
        }
    }

    /// <summary>Checks that the text and the bytes give the same message, except for values that JSON cannot hold.</summary>
    public static void AssertSame(MessageDescriptor type, ReadOnlySpan<byte> wire, string text)
    {
        var message = type.Parser.WithDiscardUnknownFields(true).ParseFrom(wire);
        var expected = JsonFormatter.Default.Format(ClosedEnums.WithoutUnknown(message));
        Assert.Equal(expected, JsonFormatter.Default.Format(Parser.Parse(text, type)));
    }
}
