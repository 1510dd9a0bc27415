using System.IO.Compression;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Bench;

/// <summary>A way to compress messages. Not thread-safe: buffers are reused.</summary>
/// <param name="Name">Its name in the table.</param>
/// <param name="Remembers">Whether it needs every message, because its result depends on earlier messages.</param>
/// <param name="Compress">Compresses a message. The result is valid until the next call.</param>
/// <param name="Decompress">Decompresses the last result of <paramref name="Compress"/>, into a given number of bytes.</param>
/// <param name="Restart">Call if the next message does not follow the last one in the match.</param>
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

    // Each message alone, in a format that gRPC clients and browsers support.
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

    // Each message alone, as the bridge does it.
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

    // As the bridge does it for a subscriber that receives every frame.
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
