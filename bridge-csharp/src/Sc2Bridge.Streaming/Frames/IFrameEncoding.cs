using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// An encoding of a frame, such as columns, JSON text, compressed bytes, a block of a zstd group, or an observation without some parts.
/// <see cref="ObservationFrame.Encoded{T}"/> uses it as the key of the cached result, so equal encodings must give equal results.
/// </summary>
/// <typeparam name="T">The type of the result.</typeparam>
public interface IFrameEncoding<out T>
    where T : class, ILeased
{
    /// <summary>The kind, for logs and metrics.</summary>
    EncodingKind Kind => EncodingKind.Other;

    /// <summary>Encodes a frame; called again after an eviction. Calls for one frame do not overlap. The caller holds a reference to the frame.</summary>
    /// <returns>The result with one reference, which the caller owns.</returns>
    T Encode(ObservationFrame frame);
}
