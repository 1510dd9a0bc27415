using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encoding.Payloads;

/// <summary>A frame's observation alone as canonical JSON, in UTF-8.</summary>
internal sealed class ObservationTextEncoding : IFrameEncoding
{
    private const int ExpectedGrowth = 4;

    private ObservationTextEncoding()
    {
    }

    /// <summary>The one instance, so that a frame's text is made once for everybody.</summary>
    public static ObservationTextEncoding Instance { get; } = new();

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(Frame frame)
    {
        SC2APIProtocol.ResponseObservation observation;
        try
        {
            observation = SC2APIProtocol.ResponseObservation.Parser.ParseFrom(frame.Observation.Span);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw new EncodingException(
                $"The game's observation of step {frame.Header.Step} cannot be read: {malformed.Message}", malformed);
        }

        var text = MessageBuffer.Rent(checked(frame.Observation.Length * ExpectedGrowth));
        try
        {
            JsonWriter.Write(observation, text);
            return text;
        }
        catch
        {
            text.Release();
            throw;
        }
    }
}
