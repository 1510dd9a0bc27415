using System.IO.Compression;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Bench;

/// <summary>One way to make messages smaller. Not thread-safe: buffers are used again.</summary>
/// <param name="Name">As the table calls it.</param>
/// <param name="Remembers">Whether it needs every message, because what it makes of one depends on those before.</param>
/// <param name="Compress">Compresses a message; the result is good until the next.</param>
/// <param name="Decompress">Decompresses what <paramref name="Compress"/> made last, into so many bytes.</param>
/// <param name="Restart">The next message does not follow the last one in the match.</param>
internal sealed record Compressor(
    string Name,
    bool Remembers,
    Func<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>> Compress,
    Func<ReadOnlyMemory<byte>, int, ReadOnlyMemory<byte>> Decompress,
    Action Restart)
{
    /// <summary>The compressions that are measured, new.</summary>
    public static IReadOnlyList<Compressor> All() =>
        [Gzip(CompressionLevel.Fastest, "gzip, fastest"), Gzip(CompressionLevel.Optimal, "gzip"), SingleZstd(), GroupZstd()];

    // Each message alone, as gRPC's clients know it and browsers' too.
    private static Compressor Gzip(CompressionLevel level, string name)
    {
        var stream = new MemoryStream();
        var message = Array.Empty<byte>();
        return new(name, false, Compress, Decompress, static () => { });

        ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> plain)
        {
            stream.SetLength(0);
            using (var gzip = new GZipStream(stream, level, leaveOpen: true))
            {
                gzip.Write(plain.Span);
            }

            return stream.GetBuffer().AsMemory(0, (int)stream.Length);
        }

        ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size)
        {
            message = message.Length < size ? GC.AllocateUninitializedArray<byte>(size * 2) : message;
            stream.Position = 0;
            using var gzip = new GZipStream(stream, CompressionMode.Decompress, leaveOpen: true);
            gzip.ReadExactly(message, 0, size);
            return message.AsMemory(0, size);
        }
    }

    // Each message alone, as the bridge sends it.
    private static Compressor SingleZstd()
    {
        var (compressor, decompressor) = (new ZstdCompressor(), new ZstdDecompressor());
        var (packed, plain) = (MessageBuffer.Rent(), MessageBuffer.Rent());
        return new(
            "zstd",
            false,
            message =>
            {
                packed.Clear();
                compressor.Compress(message.Span, packed);
                return packed.Written;
            },
            (compressed, size) =>
            {
                plain.Clear();
                decompressor.Decompress(compressed.Span, size, plain);
                return plain.Written;
            },
            static () => { });
    }

    // As the bridge sends it to a subscriber that misses nothing.
    private static Compressor GroupZstd()
    {
        var (compressor, decompressor, plain) = (new GroupCompressor(), new ZstdDecompressor(), MessageBuffer.Rent());
        GroupBlock? block = null;
        return new("group zstd", true, Compress, Decompress, Restart);

        ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message)
        {
            block?.Release();
            block = compressor.Add(message.Span);
            return block.Data;
        }

        ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size)
        {
            if (block!.Index == 0)
            {
                decompressor.Begin(block.Group.WindowLog);
            }

            plain.Clear();
            decompressor.Next(compressed.Span, size, plain);
            return plain.Written;
        }

        void Restart()
        {
            block?.Release();
            block = null;
            compressor.Dispose();
            compressor = new GroupCompressor();
        }
    }
}
