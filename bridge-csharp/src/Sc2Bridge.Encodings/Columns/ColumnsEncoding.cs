using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>A frame's observation as a serialized <c>Columns</c>, with the event's envelope before it.</summary>
/// <param name="Exclude">Parts of the observation that it is made without.</param>
internal sealed record ColumnsEncoding(PartSet Exclude) : IFrameEncoding<MessageBuffer>
{
    /// <inheritdoc/>
    public EncodingKind Kind => Exclude == PartSet.None ? EncodingKind.Columns : EncodingKind.Other;

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        using var observation = frame.ObservationWithout(Exclude);
        var columns = ColumnsWriter.Write(observation.Span);
        FrameEnvelope.Prepend(columns, frame.Header, V1.Content.Columns, V1.Frame.ColumnsFieldNumber);
        return columns;
    }
}
