using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// A frame as canonical proto3 JSON, in UTF-8. The text of a unit that has not changed is copied from the last frame of the same series
/// (match, perspective and excluded parts). The order in which frames are requested affects only the speed.
/// </summary>
/// <param name="Exclude">The parts of the observation to leave out.</param>
/// <param name="IsColumns">True for columns, whose vectors are base64; false for the observation.</param>
/// <param name="IsEvent">True for the whole <c>PlayResponse</c>; false for the content only.</param>
internal sealed record TextEncoding(PartSet Exclude, bool IsColumns, bool IsEvent) : IFrameEncoding<MessageBuffer>
{
    private static readonly JsonWriterPool[] _writers =
    [
        .. ((MessageDescriptor[])
        [
            ResponseObservation.Descriptor, V1.PlayResponse.Descriptor, V1.Columns.Descriptor, V1.PlayResponse.Descriptor,
        ]).Select(type => new JsonWriterPool(type)),
    ];

    /// <summary>Frees the cached texts.</summary>
    public static void Trim() => Array.ForEach(_writers, static writers => writers.Trim());

    /// <inheritdoc/>
    public EncodingKind Kind => IsColumns || Exclude != PartSet.None ? EncodingKind.Other
        : IsEvent ? EncodingKind.Json : EncodingKind.ObservationJson;

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is not a <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        using var message = MessageOf(frame);
        return _writers[(IsColumns ? 2 : 0) + (IsEvent ? 1 : 0)].Write(frame, Exclude, message.Span);
    }

    private EncodedBytes MessageOf(ObservationFrame frame)
    {
        if (!IsColumns)
        {
            return IsEvent ? frame.EventMessageWithout(Exclude) : frame.ObservationWithout(Exclude);
        }

        var columns = frame.Encoded<MessageBuffer>(new ColumnsEncoding(Exclude));
        return new(IsEvent ? columns.WithHead : columns.Written, columns);
    }
}

/// <summary>The whole event in JSON, for a frame whose payload is compressed alone.</summary>
/// <param name="Zstd">The encoding of the payload.</param>
internal sealed record ZstdTextEncoding(ZstdEncoding Zstd) : IFrameEncoding<MessageBuffer>
{
    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        using var made = frame.Encoded(Zstd);
        var buffer = MessageBuffer.Rent((made.Memory.Length * 4 / 3) + MessageBuffer.Headroom);
        FrameText.Write(made.Buffer!.WithHead.Span, default, buffer);
        return buffer;
    }
}
