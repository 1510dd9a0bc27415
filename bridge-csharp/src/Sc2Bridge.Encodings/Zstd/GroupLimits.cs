using System.Numerics;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>What holds for every group of compressed frames (<c>Block</c> in bridge.proto).</summary>
public static class GroupLimits
{
    /// <summary>
    /// Frames of a group. Who joins is sent what the group holds already, so that it must end; and a first frame takes
    /// as much as five others, so that it must not be short.
    /// </summary>
    public const int Frames = 64;

    /// <summary>
    /// The compressed bytes after which a group ends early: the most that a late joiner is sent with its first frame,
    /// and that a group keeps. Frames that compress as well as a match's never come near it.
    /// </summary>
    public const int MostBytes = 2 << 20;

    /// <summary>
    /// The least window: 1 MiB. Two contents must fit, those of a match that begins small and grows as well.
    /// </summary>
    public const int LeastWindowLog = 20;

    /// <summary>The largest window: 8 MiB, what decoders of zstd are to take (RFC 8878, 3.1.1.1.2).</summary>
    public const int MostWindowLog = 23;

    /// <summary>The least window that a decoder must take: zstd has no smaller one.</summary>
    public const int ShortestWindowLog = 10;

    /// <summary>The longest content that a decoder takes, in bytes: 64 MiB, many times the longest observation.</summary>
    public const int LongestContent = 64 << 20;

    /// <summary>The window for contents like a group's first: two of them fit.</summary>
    public static int WindowLogFor(int contentLength) => Math.Clamp(
        BitOperations.Log2(BitOperations.RoundUpToPowerOf2((uint)contentLength * 2)), LeastWindowLog, MostWindowLog);
}
