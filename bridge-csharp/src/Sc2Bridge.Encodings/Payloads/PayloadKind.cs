using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// The kind of a frame's payload before compression: the observation or columns, in protobuf or JSON. Kinds are compared by value. A
/// frame's payload of one kind is made once and shared.
/// </summary>
/// <param name="Content">Observation or columns.</param>
/// <param name="IsText">True for canonical JSON in UTF-8, for the JSON WebSocket; false for protobuf.</param>
/// <param name="Exclude">The parts of the observation to leave out.</param>
/// <param name="Encoding">The encoding; null for the observation in protobuf.</param>
internal sealed record PayloadKind(
    Content Content, bool IsText, PartSet Exclude, IFrameEncoding<MessageBuffer>? Encoding)
{
    /// <summary>The number of the field of <c>Frame</c> for the uncompressed payload.</summary>
    public int Field => Content == Content.Columns ? V1.Frame.ColumnsFieldNumber : V1.Frame.ObservationFieldNumber;

    /// <summary>Whether the payload is exactly the game's bytes.</summary>
    public bool IsWholeObservation => Encoding is null && Exclude == PartSet.None;

    /// <summary>The kind for a subscription and its transport. An unknown content becomes the observation.</summary>
    public static PayloadKind For(Content content, bool isText, PartSet exclude) => (content, isText) switch
    {
        (Content.Columns, false) => new(content, isText, exclude, new ColumnsEncoding(exclude)),
        (Content.Columns, true) => new(content, isText, exclude, new TextEncoding(exclude, IsColumns: true, IsEvent: false)),
        (_, true) => new(Content.Observation, isText, exclude, new TextEncoding(exclude, IsColumns: false, IsEvent: false)),
        _ => new(Content.Observation, isText, exclude, null),
    };

    /// <summary>A frame's payload. The caller must dispose it.</summary>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    public EncodedBytes BytesOf(ObservationFrame frame) =>
        Encoding is null ? frame.ObservationWithout(Exclude) : frame.Encoded(Encoding);
}
