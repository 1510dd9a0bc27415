using System.Numerics;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>The limits of groups in group zstd (<c>Block</c> in bridge.proto).</summary>
public static class GroupLimits
{
    /// <summary>
    /// The maximum number of frames in a group. Groups must be short, because a new subscriber receives all earlier blocks of its group.
    /// Groups must not be too short, because the first frame of a group takes as many bytes as five other frames.
    /// </summary>
    public const int Frames = 64;

    /// <summary>
    /// The compressed size at which a group ends early. The limit bounds the memory of a group, and the bytes that a new subscriber receives
    /// with its first frame. The groups of a real match stay far below this size.
    /// </summary>
    public const int MostBytes = 2 << 20;

    /// <summary>
    /// Base 2 logarithm of the compressor's smallest window, 1 MiB. Two frames' contents must fit into it, even if contents grow during a match.
    /// </summary>
    public const int LeastCompressorWindowLog = 20;

    /// <summary>
    /// Base 2 logarithm of the largest window of the compressor and of the decoder, 8 MiB. zstd decoders should support this window (RFC
    /// 8878, 3.1.1.1.2).
    /// </summary>
    public const int MostWindowLog = 23;

    /// <summary>Base 2 logarithm of the smallest window in a block that a decoder accepts. zstd has no smaller windows.</summary>
    public const int LeastDecoderWindowLog = 10;

    /// <summary>The maximum size in bytes of a content that a decoder accepts: 64 MiB, many times the size of the longest observation.</summary>
    public const int LongestContent = 64 << 20;

    /// <summary>Base 2 logarithm of the window for a group whose first content has this length. Two such contents fit into the window.</summary>
    public static int WindowLogFor(int contentLength) => Math.Clamp(
        BitOperations.Log2(BitOperations.RoundUpToPowerOf2((uint)contentLength * 2)), LeastCompressorWindowLog, MostWindowLog);
}
