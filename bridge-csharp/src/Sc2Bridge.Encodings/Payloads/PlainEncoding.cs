using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// A frame's whole message with a content as it is, made once for all who ask for it.
/// </summary>
/// <param name="Form">Of what content.</param>
internal sealed record PlainEncoding(PayloadKind Form) : IFrameEncoding
{
    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        var payload = Form.BytesOf(frame).Span;
        var buffer = MessageBuffer.Rent(payload.Length + MessageBuffer.Headroom);
        try
        {
            if (Form.IsText)
            {
                FrameText.Write(buffer, frame.Header, default, Form.JsonName, payload);
            }
            else
            {
                FrameMessage.Append(buffer, frame.Header, Form.Field, payload);
            }

            return buffer;
        }
        catch
        {
            buffer.Release();
            throw;
        }
    }
}
