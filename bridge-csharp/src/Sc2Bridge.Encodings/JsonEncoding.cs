using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings;

/// <summary>
/// A frame as text: the canonical proto3 JSON of its whole <c>PlayResponse</c>, in UTF-8. Units that stood in the last frame
/// of the same series (match, perspective and parts that were left out) as they stand in this one are taken over from
/// its text; which frames are asked for, and in what order, changes nothing but the time that it takes.
/// </summary>
/// <param name="Exclude">Parts of the observation that it is made without.</param>
internal sealed record JsonEncoding(PartSet Exclude) : IFrameEncoding<MessageBuffer>
{
    private static readonly JsonWriterPool _writers = new(PlayResponse.Descriptor);

    /// <summary>The one that leaves nothing out.</summary>
    public static JsonEncoding Instance { get; } = new(PartSet.None);

    /// <summary>Lets go of what is kept for texts to come.</summary>
    public static void Trim() => _writers.Trim();

    /// <inheritdoc/>
    public EncodingKind Kind => Exclude == PartSet.None ? EncodingKind.Json : EncodingKind.Other;

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        using var message = frame.EventMessageWithout(Exclude);
        return _writers.Write(frame, Exclude, message.Span);
    }
}
