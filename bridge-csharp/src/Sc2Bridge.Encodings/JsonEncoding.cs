using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings;

/// <summary>
/// A frame as text: the canonical proto3 JSON of its whole <c>Event</c>, in UTF-8. Units that stood in the last frame
/// of the same series (match, perspective and parts that were left out) as they stand in this one are taken over from
/// its text; which frames are asked for, and in what order, changes nothing but the time that it takes.
/// </summary>
public sealed class JsonEncoding : IFrameEncoding
{
    private readonly JsonWriterPool _writers = new(Event.Descriptor, frame => frame.EventMessage);

    private JsonEncoding()
    {
    }

    /// <summary>The one instance, so that a frame's text is made once for everybody.</summary>
    public static JsonEncoding Instance { get; } = new();

    /// <inheritdoc/>
    public EncodingKind Kind => EncodingKind.Json;

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        return _writers.Write(frame);
    }
}
