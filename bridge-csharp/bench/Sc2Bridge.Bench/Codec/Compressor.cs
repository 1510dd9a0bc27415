using System.IO.Compression;

namespace Sc2Bridge.Bench;

/// <summary>One way to make messages smaller. Not thread-safe: buffers are used again.</summary>
internal abstract class Compressor : IDisposable
{
    public abstract string Name { get; }

    /// <summary>Whether it needs every message, as what it makes of one rests on those before.</summary>
    public virtual bool Remembers => false;

    public abstract ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message);

    /// <summary>Decompresses what <see cref="Compress"/> made last.</summary>
    public abstract ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size);

    /// <summary>The next message does not follow the last one in the match.</summary>
    public virtual void Restart()
    {
    }

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

/// <summary>gzip, each message alone, as gRPC's clients know it and browsers' too.</summary>
internal sealed class Gzip(CompressionLevel level, string name) : Compressor
{
    private readonly MemoryStream _compressed = new();
    private byte[] _decompressed = [];

    public override string Name => name;

    public override ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message)
    {
        _compressed.SetLength(0);
        using (var stream = new GZipStream(_compressed, level, leaveOpen: true))
        {
            stream.Write(message.Span);
        }

        return _compressed.GetBuffer().AsMemory(0, (int)_compressed.Length);
    }

    public override ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size)
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

    protected override void Dispose(bool disposing)
    {
        _compressed.Dispose();
        base.Dispose(disposing);
    }
}

/// <summary>The compressions that are measured.</summary>
internal static class Compressors
{
    public static IReadOnlyList<Compressor> All() =>
    [
        new Gzip(CompressionLevel.Fastest, "gzip, fastest"),
        new Gzip(CompressionLevel.Optimal, "gzip"),
        new SingleZstd(),
        new GroupZstd(),
    ];
}
