using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>Bytes of a frame, or of an encoding of it that is held until this is disposed, once.</summary>
/// <param name="Memory">The bytes.</param>
/// <param name="Held">What holds them; null where the frame does.</param>
public readonly record struct EncodedBytes(ReadOnlyMemory<byte> Memory, MessageBuffer? Held = null) : IDisposable
{
    /// <summary>The bytes.</summary>
    public ReadOnlySpan<byte> Span => Memory.Span;

    /// <inheritdoc/>
    public void Dispose() => Held?.Release();
}
