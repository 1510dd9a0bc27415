using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Frame = Sc2Bridge.Streaming.Frame;

namespace Sc2Bridge.Encoding.Columns;

/// <summary>A frame's columns as canonical JSON, in UTF-8: the vectors are base64.</summary>
public sealed class ColumnsTextEncoding : IFrameEncoding
{
    private const int ExpectedGrowth = 2;

    private ColumnsTextEncoding()
    {
    }

    /// <summary>The one instance, so that a frame's text is made once for everybody.</summary>
    public static ColumnsTextEncoding Instance { get; } = new();

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation is no <c>ResponseObservation</c>.</exception>
    public MessageBuffer Encode(Frame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        var columns = frame.Encoded(ColumnsEncoding.Instance);
        V1.Columns parsed;
        try
        {
            parsed = V1.Columns.Parser.ParseFrom(columns.Span);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw new EncodingException(
                $"The game's observation of step {frame.Header.Step} cannot be read: {malformed.Message}", malformed);
        }

        var text = MessageBuffer.Rent(checked(columns.Length * ExpectedGrowth));
        try
        {
            JsonWriter.Write(parsed, text);
            return text;
        }
        catch
        {
            text.Release();
            throw;
        }
    }
}
