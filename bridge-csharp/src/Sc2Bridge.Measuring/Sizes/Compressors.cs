using System.IO.Compression;
using Sc2Bridge.Encodings.Zstd;

namespace Sc2Bridge.Measuring.Sizes;

/// <summary>The compressions that are measured.</summary>
public static class Compressors
{
    /// <summary>Each of them, new; without zstd where there is no libzstd.</summary>
    public static IReadOnlyList<Compressor> All()
    {
        List<Compressor> all =
        [
            StreamCompressor.Gzip(CompressionLevel.Fastest, "gzip, fastest"),
            StreamCompressor.Gzip(CompressionLevel.Optimal, "gzip"),
            StreamCompressor.Zlib(CompressionLevel.Optimal, "zlib"),
        ];
        if (ZstdLibrary.Problem is null)
        {
            all.AddRange([new SingleZstd(), new GroupZstd()]);
        }

        return all;
    }
}
