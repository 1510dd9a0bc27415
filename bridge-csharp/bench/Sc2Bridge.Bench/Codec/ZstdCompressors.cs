using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Bench;

/// <summary>zstd, each message alone, as the bridge sends it.</summary>
internal sealed class SingleZstd : Compressor
{
    private readonly ZstdCompressor _compressor = new();
    private readonly ZstdDecompressor _decompressor = new();
    private readonly MessageBuffer _compressed = MessageBuffer.Rent();
    private readonly MessageBuffer _decompressed = MessageBuffer.Rent();

    /// <inheritdoc/>
    public override string Name => "zstd";

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message)
    {
        _compressed.Clear();
        _compressor.Compress(message.Span, _compressed);
        return _compressed.Written;
    }

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size)
    {
        _decompressed.Clear();
        _decompressor.Decompress(compressed.Span, size, _decompressed);
        return _decompressed.Written;
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _compressor.Dispose();
        _decompressor.Dispose();
        _compressed.Release();
        _decompressed.Release();
        base.Dispose(disposing);
    }
}

/// <summary>
/// Group zstd, as the bridge sends it to a subscriber that misses nothing.
/// </summary>
internal sealed class GroupZstd : Compressor
{
    private readonly ZstdDecompressor _decompressor = new();
    private readonly MessageBuffer _decompressed = MessageBuffer.Rent();
    private GroupCompressor _compressor = new();
    private GroupBlock? _block;

    /// <inheritdoc/>
    public override string Name => "group zstd";

    /// <inheritdoc/>
    public override bool Remembers => true;

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> Compress(ReadOnlyMemory<byte> message)
    {
        _block?.Release();
        _block = _compressor.Add(message.Span);
        return _block.Data;
    }

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed, int size)
    {
        if (_block!.Index == 0)
        {
            _decompressor.Begin(_block.Group.WindowLog);
        }

        _decompressed.Clear();
        _decompressor.Next(compressed.Span, size, _decompressed);
        return _decompressed.Written;
    }

    /// <inheritdoc/>
    public override void Restart()
    {
        _block?.Release();
        _block = null;
        _compressor.Dispose();
        _compressor = new GroupCompressor();
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _block?.Release();
        _compressor.Dispose();
        _decompressor.Dispose();
        _decompressed.Release();
        base.Dispose(disposing);
    }
}
