using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// What a frame's payload is before it is compressed: the observation or columns, in protobuf or JSON. Compared by
/// value; its encoding of a frame is made once and shared.
/// </summary>
/// <param name="Content">Which of the two.</param>
/// <param name="IsText">Whether it is canonical JSON text in UTF-8, for the JSON WebSocket; else a message.</param>
/// <param name="Exclude">The parts that it is made without.</param>
/// <param name="Encoding">What makes it; null for the observation as the game sent it.</param>
internal sealed record PayloadKind(
    Content Content, bool IsText, PartSet Exclude, IFrameEncoding<MessageBuffer>? Encoding)
{
    /// <summary>The field of <c>Frame</c> that holds it if it is not compressed.</summary>
    public int Field => Content == Content.Columns ? V1.Frame.ColumnsFieldNumber : V1.Frame.ObservationFieldNumber;

    /// <summary>Whether it is the very bytes of the game.</summary>
    public bool IsWholeObservation => Encoding is null && Exclude == PartSet.None;

    /// <summary>What a subscriber asked for, as its transport carries it; the observation for what is unknown.</summary>
    public static PayloadKind For(Content content, bool isText, PartSet exclude) => (content, isText) switch
    {
        (Content.Columns, false) => new(content, isText, exclude, new ColumnsEncoding(exclude)),
        (Content.Columns, true) => new(content, isText, exclude, new TextEncoding(exclude, IsColumns: true, IsEvent: false)),
        (_, true) => new(Content.Observation, isText, exclude, new TextEncoding(exclude, IsColumns: false, IsEvent: false)),
        _ => new(Content.Observation, isText, exclude, null),
    };

    /// <summary>A frame's content; held until it is disposed.</summary>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    public EncodedBytes BytesOf(ObservationFrame frame) =>
        Encoding is null ? frame.ObservationWithout(Exclude) : frame.Encoded(Encoding);
}
