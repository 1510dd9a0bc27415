using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>A frame's observation alone as canonical JSON, in UTF-8.</summary>
internal sealed class ObservationTextEncoding : IFrameEncoding
{
    private readonly JsonWriterPool _writers = new(ResponseObservation.Descriptor, frame => frame.Observation);

    private ObservationTextEncoding()
    {
    }

    /// <summary>The one instance, so that a frame's text is made once for everybody.</summary>
    public static ObservationTextEncoding Instance { get; } = new();

    /// <inheritdoc/>
    public EncodingKind Kind => EncodingKind.ObservationJson;

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(ObservationFrame frame) => _writers.Write(frame);
}
