using System.IO.Compression;

namespace Sc2Bridge.Measuring.Sizes;

/// <summary>The compressions that are measured.</summary>
public static class Compressors
{
    /// <summary>Each of them, new.</summary>
    public static IReadOnlyList<Compressor> All() =>
    [
        StreamCompressor.Gzip(CompressionLevel.Fastest, "gzip, fastest"),
        StreamCompressor.Gzip(CompressionLevel.Optimal, "gzip"),
        StreamCompressor.Zlib(CompressionLevel.Optimal, "zlib"),
        new SingleZstd(),
        new GroupZstd(),
    ];
}
