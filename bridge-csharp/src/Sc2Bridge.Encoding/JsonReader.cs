using Google.Protobuf;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encoding;

/// <summary>Reads what agents say in canonical proto3 JSON.</summary>
public static class JsonReader
{
    /// <summary>
    /// How deep objects may stand in each other. The contract's own depth is 8 (a unit's target within an action within
    /// a request); the rest is room for it to grow.
    /// </summary>
    public const int DeepestNesting = 32;

    private static readonly JsonParser Parser = new(new JsonParser.Settings(DeepestNesting));
    private static readonly System.Text.UTF8Encoding Strict = new(
        encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Reads one message.</summary>
    /// <param name="utf8">The whole text.</param>
    /// <exception cref="EncodingException">
    /// It is no UTF-8, no JSON, names a field that the contract does not know, has a value of the wrong kind, or is
    /// nested too deeply.
    /// </exception>
    public static AgentMessage ReadAgentMessage(ReadOnlySpan<byte> utf8)
    {
        string text;
        try
        {
            text = Strict.GetString(utf8);
        }
        catch (System.Text.DecoderFallbackException invalid)
        {
            throw new EncodingException($"The text is not UTF-8 at byte {invalid.Index}.", invalid);
        }

        try
        {
            return Parser.Parse<AgentMessage>(text);
        }
        catch (Exception invalid) when (invalid is InvalidJsonException or InvalidProtocolBufferException)
        {
            throw new EncodingException($"The text is no AgentMessage: {invalid.Message}", invalid);
        }
    }
}
