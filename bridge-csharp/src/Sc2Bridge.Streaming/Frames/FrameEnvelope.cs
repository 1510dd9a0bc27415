using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Writes the envelope of a frame (<c>PlayResponse.frame</c> up to the payload's first byte) backwards, so that it ends where
/// the payload begins.
/// </summary>
public static class FrameEnvelope
{
    /// <summary>The longest match name that is sure to fit in <see cref="Protocol.MessageBuffer.Headroom"/>.</summary>
    public const int LongestMatchName = 300;

    /// <summary>
    /// The most bytes that the envelope takes without the match's name and a subscriber's own;
    /// a small payload's own head, of up to 60 bytes, has room beside them in the headroom.
    /// </summary>
    public const int MostBytes = 100;

    /// <summary>Writes the envelope of a payload right before it, in the buffer's headroom.</summary>
    /// <param name="payload">The payload, and nothing else; with the envelope it is the whole <c>PlayResponse</c>.</param>
    /// <param name="header">What the envelope says.</param>
    /// <param name="content">What the payload holds, also if it is compressed.</param>
    /// <param name="field">The payload's field in <c>Frame</c>.</param>
    public static void Prepend(MessageBuffer payload, in FrameHeader header, V1.Content content, int field)
    {
        ArgumentNullException.ThrowIfNull(payload);
        payload.SetHead(WriteBefore(payload.Array, MessageBuffer.Headroom, payload.Length, header, default, content, field));
    }

    /// <summary>Writes the envelope.</summary>
    /// <param name="array">The buffer.</param>
    /// <param name="payloadStart">Where the payload stands in it, or would: it need not be there.</param>
    /// <param name="payloadLength">The payload's length in bytes.</param>
    /// <param name="header">What the envelope says.</param>
    /// <param name="own"><see cref="Delivery.OwnFields"/>, or nothing.</param>
    /// <param name="content">What the payload holds, also if it is compressed or in shared memory.</param>
    /// <param name="field">The payload's field in <c>Frame</c>.</param>
    /// <returns>Where the <c>PlayResponse</c> begins.</returns>
    public static int WriteBefore(
        byte[] array,
        int payloadStart,
        int payloadLength,
        in FrameHeader header,
        ReadOnlySpan<byte> own = default,
        V1.Content content = V1.Content.Observation,
        int field = V1.Frame.ObservationFieldNumber)
    {
        ArgumentNullException.ThrowIfNull(array);
        var end = payloadStart + payloadLength;
        var writer = new BackwardWriter(array, payloadStart);
        writer.Head(field, payloadLength);
        writer.Present(V1.Frame.ContentFieldNumber, (ulong)content);
        writer.Raw(own);
        writer.Number(V1.Frame.ObservedNsFieldNumber, (ulong)header.ObservedNs);
        writer.Number(V1.Frame.RequestedNsFieldNumber, (ulong)header.RequestedNs);
        writer.Number(V1.Frame.GameLoopFieldNumber, header.GameLoop);
        writer.Number(V1.Frame.StepFieldNumber, header.Step);
        writer.Present(V1.Frame.PerspectiveFieldNumber, header.Perspective);
        writer.Text(V1.Frame.MatchIdFieldNumber, header.MatchId);
        writer.Head(V1.PlayResponse.FrameFieldNumber, end - writer.Start);
        return writer.Start;
    }
}
