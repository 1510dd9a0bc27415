using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>A frame's <c>Event</c> as one gzip message with its gRPC prefix, made once for all who asked for gzip.</summary>
public sealed class GzipFrameEncoding : IFrameEncoding
{
    /// <summary>The only one there needs to be.</summary>
    public static GzipFrameEncoding Instance { get; } = new();

    /// <inheritdoc/>
    public EncodingKind Kind => EncodingKind.Gzip;

    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        return GrpcGzip.Compress(frame.EventMessage.Span);
    }
}
