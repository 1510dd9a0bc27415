using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Writes the envelope of a frame (<c>PlayResponse.frame</c> up to the payload's first byte) backwards, so that the
/// envelope ends where the payload begins.
/// </summary>
public static class EnvelopeWriter
{
    /// <summary>The longest match name, in bytes of UTF-8, that always fits in <see cref="Protocol.MessageBuffer.Headroom"/>.</summary>
    public const int LongestMatchName = 300;

    /// <summary>
    /// The most bytes of the envelope, without the match name and a subscriber's own fields. The headroom also has
    /// space for a payload's header of up to 60 bytes.
    /// </summary>
    public const int MostBytes = 100;

    /// <summary>Writes the envelope of a payload directly before it, in the buffer's headroom.</summary>
    /// <param name="payload">The payload alone. The payload with its envelope is the whole <c>PlayResponse</c>.</param>
    /// <param name="header">The values of the envelope.</param>
    /// <param name="content">The content of the payload, whether the payload is compressed or not.</param>
    /// <param name="field">The payload's field in <c>Frame</c>.</param>
    public static void Prepend(MessageBuffer payload, in FrameHeader header, V1.Content content, int field)
    {
        ArgumentNullException.ThrowIfNull(payload);
        payload.SetHead(WriteBefore(payload.Array, MessageBuffer.Headroom, payload.Length, header, default, content, field));
    }

    /// <summary>Writes the envelope.</summary>
    /// <param name="array">The buffer.</param>
    /// <param name="payloadStart">The payload's offset in the array. The payload itself may be elsewhere.</param>
    /// <param name="payloadLength">The payload's length in bytes.</param>
    /// <param name="header">The values of the envelope.</param>
    /// <param name="ownFields"><see cref="Delivery.OwnFields"/>, or empty.</param>
    /// <param name="content">The content of the payload, also if the payload is compressed or in shared memory.</param>
    /// <param name="field">The payload's field in <c>Frame</c>.</param>
    /// <returns>The offset of the <c>PlayResponse</c> in the array.</returns>
    public static int WriteBefore(
        byte[] array,
        int payloadStart,
        int payloadLength,
        in FrameHeader header,
        ReadOnlySpan<byte> ownFields = default,
        V1.Content content = V1.Content.Observation,
        int field = V1.Frame.ObservationFieldNumber)
    {
        ArgumentNullException.ThrowIfNull(array);
        var end = payloadStart + payloadLength;
        var writer = new BackwardWriter(array, payloadStart);
        writer.WriteTagAndLength(field, payloadLength);
        writer.WriteNumberEvenZero(V1.Frame.ContentFieldNumber, (ulong)content);
        writer.WriteRaw(ownFields);
        writer.WriteNumber(V1.Frame.ObservedNsFieldNumber, (ulong)header.ObservedNs);
        writer.WriteNumber(V1.Frame.RequestedNsFieldNumber, (ulong)header.RequestedNs);
        writer.WriteNumber(V1.Frame.GameLoopFieldNumber, header.GameLoop);
        writer.WriteNumber(V1.Frame.StepFieldNumber, header.Step);
        writer.WriteNumberEvenZero(V1.Frame.PerspectiveFieldNumber, header.Perspective);
        writer.WriteText(V1.Frame.MatchIdFieldNumber, header.MatchId);
        writer.WriteTagAndLength(V1.PlayResponse.FrameFieldNumber, end - writer.Start);
        return writer.Start;
    }
}
