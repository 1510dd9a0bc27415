using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>The bytes of a frame or of one of its encodings. Dispose it once, to release the encoding.</summary>
/// <param name="Memory">The bytes.</param>
/// <param name="Buffer">The buffer that owns the bytes; null if the frame owns them.</param>
public readonly record struct EncodedBytes(ReadOnlyMemory<byte> Memory, MessageBuffer? Buffer = null) : IDisposable
{
    /// <summary>The bytes.</summary>
    public ReadOnlySpan<byte> Span => Memory.Span;

    /// <inheritdoc/>
    public void Dispose() => Buffer?.Release();
}
