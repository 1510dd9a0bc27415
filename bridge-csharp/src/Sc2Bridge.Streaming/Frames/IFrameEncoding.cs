using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Another form of a frame: fewer parts, columns, JSON text, a zstd frame, a block of a compressed group. It is the key by
/// which <see cref="ObservationFrame.Encoded{T}"/> finds what was made, so equal encodings make the same.
/// </summary>
/// <typeparam name="T">What it makes.</typeparam>
public interface IFrameEncoding<out T>
    where T : class, ILeased
{
    /// <summary>What it makes, for logs and meters.</summary>
    EncodingKind Kind => EncodingKind.Other;

    /// <summary>Makes the form; called once for a frame, which is held meanwhile, and on one thread.</summary>
    /// <returns>Held once for the frame, which lets go of it when nobody holds the frame any more.</returns>
    T Encode(ObservationFrame frame);
}
