using System.IO.Compression;

namespace Sc2Bridge.Bench;

/// <summary>One way to make messages smaller. Not thread-safe: buffers are used again.</summary>
internal abstract class Compressor : IDisposable
{
    /// <summary>Its name in tables.</summary>
    public abstract string Name { get; }

    /// <summary>Whether it needs every message, as what it makes of one rests on those before.</summary>
    public virtual bool Remembers => false;

    /// <summary>Compresses the next message.</summary>
    /// <returns>Good until the next call.</returns>
    public abstract ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message);

    /// <summary>Decompresses what <see cref="Compress"/> made last.</summary>
    /// <param name="compressed">All of it.</param>
    /// <param name="size">Bytes that it decompresses to.</param>
    /// <returns>Good until the next call.</returns>
    public abstract ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size);

    /// <summary>The next message does not follow the last one in the match.</summary>
    public virtual void Restart()
    {
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Frees what a derived class holds.</summary>
    protected virtual void Dispose(bool disposing)
    {
    }
}

/// <summary>One of .NET's streams, a message at a time.</summary>
/// <param name="name">Its name in tables.</param>
/// <param name="compress">Opens the stream that compresses into another and leaves that open.</param>
/// <param name="decompress">Opens the stream that decompresses another and leaves that open.</param>
internal sealed class StreamCompressor(string name, Func<Stream, Stream> compress, Func<Stream, Stream> decompress)
    : Compressor
{
    private readonly MemoryStream _compressed = new();
    private byte[] _decompressed = [];

    /// <inheritdoc/>
    public override string Name => name;

    /// <summary>gzip, as gRPC's clients know it and browsers' too.</summary>
    public static StreamCompressor Gzip(CompressionLevel level, string name) => new(
        name,
        output => new GZipStream(output, level, leaveOpen: true),
        input => new GZipStream(input, CompressionMode.Decompress, leaveOpen: true));

    /// <summary>zlib (RFC 1950): the same deflate with a shorter header and another checksum.</summary>
    public static StreamCompressor Zlib(CompressionLevel level, string name) => new(
        name,
        output => new ZLibStream(output, level, leaveOpen: true),
        input => new ZLibStream(input, CompressionMode.Decompress, leaveOpen: true));

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message)
    {
        _compressed.SetLength(0);
        using (var stream = compress(_compressed))
        {
            stream.Write(message.Span);
        }

        return _compressed.GetBuffer().AsMemory(0, (int)_compressed.Length);
    }

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size)
    {
        if (_decompressed.Length < size)
        {
            _decompressed = GC.AllocateUninitializedArray<byte>(size * 2);
        }

        _compressed.Position = 0;
        using var stream = decompress(_compressed);
        stream.ReadExactly(_decompressed, 0, size);
        return _decompressed.AsMemory(0, size);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _compressed.Dispose();
        base.Dispose(disposing);
    }
}

/// <summary>The compressions that are measured.</summary>
internal static class Compressors
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
