namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// A message as it is to be written: what one subscriber has of its own, and what it has in common with others, whose
/// bytes are never copied.
/// </summary>
/// <param name="Head">Its own; empty where the whole message is everybody's.</param>
/// <param name="Body">Everybody's.</param>
public readonly record struct MessageSegments(ReadOnlyMemory<byte> Head, ReadOnlyMemory<byte> Body)
{
    /// <summary>Bytes of both.</summary>
    public int Length => Head.Length + Body.Length;

    /// <summary>Both, copied: for what takes one stretch of memory only.</summary>
    public byte[] ToArray() => [.. Head.Span, .. Body.Span];
}
