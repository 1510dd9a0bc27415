namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>Converts JSON texts to wire bytes and messages.</summary>
internal static class Reading
{
    /// <summary>The wire bytes of a JSON text.</summary>
    public static byte[] Wire(MessageDescriptor type, ReadOnlySpan<byte> text)
    {
        var wire = MessageBuffer.Rent();
        try
        {
            JsonReader.Read(text, type, wire);
            return wire.Written.ToArray();
        }
        finally
        {
            wire.Release();
        }
    }

    /// <summary>The message of a JSON text.</summary>
    public static IMessage Parse(MessageDescriptor type, string text) =>
        type.Parser.ParseFrom(Wire(type, System.Text.Encoding.UTF8.GetBytes(text)));

    public static T Parse<T>(string text)
        where T : IMessage<T>, new() => (T)Parse(new T().Descriptor, text);

    /// <summary>The error for a refused text.</summary>
    public static string Refusal<T>(string text)
        where T : IMessage<T>, new() => Assert.Throws<EncodingException>(() => Parse<T>(text)).Message;
}
