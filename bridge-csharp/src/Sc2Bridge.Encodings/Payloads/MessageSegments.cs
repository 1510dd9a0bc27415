namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// A message as it is to be written: one subscriber's own head, and a body shared with other subscribers, whose bytes
/// are not copied.
/// </summary>
/// <param name="Head">The subscriber's own; empty where the whole message is shared.</param>
/// <param name="Body">Shared.</param>
public readonly record struct MessageSegments(ReadOnlyMemory<byte> Head, ReadOnlyMemory<byte> Body)
{
    /// <summary>Bytes of both.</summary>
    public int Length => Head.Length + Body.Length;

    /// <summary>Both, copied: for what takes one stretch of memory only.</summary>
    public byte[] ToArray() => [.. Head.Span, .. Body.Span];
}
