using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>A frame's observation as a serialized <c>Columns</c>.</summary>
public sealed class ColumnsEncoding : IFrameEncoding
{
    private ColumnsEncoding()
    {
    }

    /// <summary>The one instance, so that a frame's columns are made once for everybody.</summary>
    public static ColumnsEncoding Instance { get; } = new();

    /// <inheritdoc/>
    public EncodingKind Kind => EncodingKind.Columns;

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        return ColumnsWriter.Write(frame.Observation.Span);
    }
}
