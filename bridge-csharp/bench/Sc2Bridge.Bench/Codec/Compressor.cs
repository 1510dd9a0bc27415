using System.IO.Compression;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Bench;

/// <summary>One way to make messages smaller. Not thread-safe: buffers are used again.</summary>
internal interface ICompressor : IDisposable
{
    string Name { get; }

    /// <summary>Whether it needs every message, as what it makes of one rests on those before.</summary>
    bool Remembers => false;

    /// <summary>The compressions that are measured.</summary>
    static IReadOnlyList<ICompressor> All() =>
    [
        new Gzip(CompressionLevel.Fastest, "gzip, fastest"),
        new Gzip(CompressionLevel.Optimal, "gzip"),
        new SingleZstd(),
        new GroupZstd(),
    ];

    ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message);

    /// <summary>Decompresses what <see cref="Compress"/> made last.</summary>
    ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size);

    /// <summary>The next message does not follow the last one in the match.</summary>
    void Restart()
    {
    }
}

/// <summary>gzip, each message alone, as gRPC's clients know it and browsers' too.</summary>
internal sealed class Gzip(CompressionLevel level, string name) : ICompressor
{
    private readonly MemoryStream _compressed = new();
    private byte[] _decompressed = [];

    public string Name => name;

    public ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message)
    {
        _compressed.SetLength(0);
        using (var stream = new GZipStream(_compressed, level, leaveOpen: true))
        {
            stream.Write(message.Span);
        }

        return _compressed.GetBuffer().AsMemory(0, (int)_compressed.Length);
    }

    public ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size)
    {
        if (_decompressed.Length < size)
        {
            _decompressed = GC.AllocateUninitializedArray<byte>(size * 2);
        }

        _compressed.Position = 0;
        using var stream = new GZipStream(_compressed, CompressionMode.Decompress, leaveOpen: true);
        stream.ReadExactly(_decompressed, 0, size);
        return _decompressed.AsMemory(0, size);
    }

    public void Dispose() => _compressed.Dispose();
}

/// <summary>zstd, each message alone, as the bridge sends it.</summary>
internal sealed class SingleZstd : ICompressor
{
    private readonly ZstdCompressor _compressor = new();
    private readonly ZstdDecompressor _decompressor = new();
    private readonly MessageBuffer _compressed = MessageBuffer.Rent();
    private readonly MessageBuffer _decompressed = MessageBuffer.Rent();

    public string Name => "zstd";

    public ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message)
    {
        _compressed.Clear();
        _compressor.Compress(message.Span, _compressed);
        return _compressed.Written;
    }

    public ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size)
    {
        _decompressed.Clear();
        _decompressor.Decompress(compressed.Span, size, _decompressed);
        return _decompressed.Written;
    }

    public void Dispose()
    {
        _compressor.Dispose();
        _decompressor.Dispose();
        _compressed.Release();
        _decompressed.Release();
    }
}

/// <summary>Group zstd, as the bridge sends it to a subscriber that misses nothing.</summary>
internal sealed class GroupZstd : ICompressor
{
    private readonly ZstdDecompressor _decompressor = new();
    private readonly MessageBuffer _decompressed = MessageBuffer.Rent();
    private GroupCompressor _compressor = new();
    private GroupBlock? _block;

    public string Name => "group zstd";

    public bool Remembers => true;

    public ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message)
    {
        _block?.Release();
        _block = _compressor.Add(message.Span);
        return _block.Data;
    }

    public ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size)
    {
        if (_block!.Index == 0)
        {
            _decompressor.Begin(_block.Group.WindowLog);
        }

        _decompressed.Clear();
        _decompressor.Next(compressed.Span, size, _decompressed);
        return _decompressed.Written;
    }

    public void Restart()
    {
        _block?.Release();
        _block = null;
        _compressor.Dispose();
        _compressor = new GroupCompressor();
    }

    public void Dispose()
    {
        _block?.Release();
        _compressor.Dispose();
        _decompressor.Dispose();
        _decompressed.Release();
    }
}
