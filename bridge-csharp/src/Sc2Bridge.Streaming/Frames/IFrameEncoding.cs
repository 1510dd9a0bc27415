using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// An encoding of a frame: fewer parts, columns, JSON text, a zstd frame, a block of a compressed group. It is the key
/// under which <see cref="ObservationFrame.Encoded{T}"/> keeps the result, so equal encodings must give equal results.
/// </summary>
/// <typeparam name="T">What it makes.</typeparam>
public interface IFrameEncoding<out T>
    where T : class, ILeased
{
    /// <summary>What it makes, for logs and meters.</summary>
    EncodingKind Kind => EncodingKind.Other;

    /// <summary>Encodes a frame; called once for each frame, which the caller holds, and on one thread.</summary>
    /// <returns>Held once, for the caller.</returns>
    T Encode(ObservationFrame frame);
}
