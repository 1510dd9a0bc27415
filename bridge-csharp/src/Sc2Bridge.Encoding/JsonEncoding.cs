using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Frame = Sc2Bridge.Streaming.Frame;

namespace Sc2Bridge.Encoding;

/// <summary>
/// A frame as text: the canonical proto3 JSON of its whole <c>Event</c>, in UTF-8. A transcoder from the wire to text
/// can take the place of <see cref="Encode"/>'s parsing and formatting without anybody noticing but the clock.
/// </summary>
public sealed class JsonEncoding : IFrameEncoding
{
    // Text is 2 to 9 times the size of the message; a buffer that is too small is copied when it grows.
    private const int ExpectedGrowth = 4;

    private JsonEncoding()
    {
    }

    /// <summary>The one instance, so that a frame's text is made once for everybody.</summary>
    public static JsonEncoding Instance { get; } = new();

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(Frame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        Event parsed;
        try
        {
            parsed = Event.Parser.ParseFrom(frame.EventMessage.Span);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw new EncodingException(
                $"The game's observation of step {frame.Header.Step} cannot be read: {malformed.Message}", malformed);
        }

        var text = MessageBuffer.Rent(checked(frame.EventMessage.Length * ExpectedGrowth));
        try
        {
            JsonWriter.Write(parsed, text);
            return text;
        }
        catch
        {
            text.Release();
            throw;
        }
    }
}
