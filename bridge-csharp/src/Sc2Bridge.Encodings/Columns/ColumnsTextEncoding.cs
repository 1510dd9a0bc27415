using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>A frame's columns as canonical JSON, in UTF-8: the vectors are base64.</summary>
public sealed class ColumnsTextEncoding : IFrameEncoding
{
    private readonly JsonWriterPool _writers =
        new(V1.Columns.Descriptor, frame => frame.Encoded(ColumnsEncoding.Instance));

    private ColumnsTextEncoding()
    {
    }

    /// <summary>The one instance, so that a frame's text is made once for everybody.</summary>
    public static ColumnsTextEncoding Instance { get; } = new();

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);

        // What cannot be read is refused here, before a writer is taken for it.
        _ = frame.Encoded(ColumnsEncoding.Instance);
        return _writers.Write(frame);
    }
}
