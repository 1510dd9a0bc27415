using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>Encodes a frame as columns: the envelope of the event, and then the observation as a serialized <c>Columns</c> message.</summary>
/// <param name="Exclude">The parts of the observation to leave out.</param>
internal sealed record ColumnsEncoding(PartSet Exclude) : IFrameEncoding<MessageBuffer>
{
    /// <inheritdoc/>
    public EncodingKind Kind => Exclude == PartSet.None ? EncodingKind.Columns : EncodingKind.Other;

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is not a <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        using var observation = frame.ObservationWithout(Exclude);
        var columns = ColumnsWriter.Write(observation.Span);
        EnvelopeWriter.Prepend(columns, frame.Header, V1.Content.Columns, V1.Frame.ColumnsFieldNumber);
        return columns;
    }
}
