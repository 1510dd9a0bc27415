using System.Diagnostics;
using System.IO.Compression;
using Google.Protobuf;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Codec.Benchmarks;

/// <summary>A way to compress frames; every content that it gives back is held to the frame that it was.</summary>
internal abstract class CompressionWay
{
    /// <summary>As the table calls it.</summary>
    public abstract string Name { get; }

    /// <summary>Whether one round is enough.</summary>
    public virtual bool IsSlow => false;

    /// <summary>Compressed bytes of the last round.</summary>
    public long Bytes { get; protected set; }

    /// <summary>Compresses all frames in their order, then decompresses them.</summary>
    public abstract (TimeSpan Compressing, TimeSpan Decompressing) Run(IReadOnlyList<byte[]> frames);

    /// <exception cref="MeasuringException">What came back is something else.</exception>
    protected static void Hold(ReadOnlySpan<byte> content, byte[] frame)
    {
        if (!content.SequenceEqual(frame))
        {
            throw new MeasuringException("a frame came back as another: the compression is broken");
        }
    }
}

/// <summary>Group zstd as subscribers get it.</summary>
internal sealed class GroupWay : CompressionWay
{
    public override string Name => "group zstd";

    public override (TimeSpan Compressing, TimeSpan Decompressing) Run(IReadOnlyList<byte[]> frames)
    {
        // Each round begins with a group.
        using var compressor = new GroupCompressor();
        using var decoder = new GroupDecoder();
        var messages = new Block[frames.Count];
        var (compressing, decompressing) = (0L, 0L);
        Bytes = 0;
        for (var index = 0; index < frames.Count; index++)
        {
            var start = Stopwatch.GetTimestamp();
            var block = compressor.Add(frames[index]);
            compressing += Stopwatch.GetTimestamp() - start;
            Bytes += block.Data.Length;
            messages[index] = new Block
            {
                Group = block.Group.Number,
                Index = (uint)block.Index,
                WindowLog = (uint)block.Group.WindowLog,
                Size = (uint)block.Size,
                Data = ByteString.CopyFrom(block.Data.Span),
            };
            block.Release();
        }

        for (var index = 0; index < messages.Length; index++)
        {
            var start = Stopwatch.GetTimestamp();
            var content = decoder.Decode(messages[index]);
            decompressing += Stopwatch.GetTimestamp() - start;
            Hold(content.Span, frames[index]);
        }

        return (Stopwatch.GetElapsedTime(0, compressing), Stopwatch.GetElapsedTime(0, decompressing));
    }
}

/// <summary>zstd of each frame alone.</summary>
internal sealed class AloneWay : CompressionWay, IDisposable
{
    private readonly ZstdCompressor _compressor = new();
    private readonly ZstdDecompressor _decompressor = new();
    private readonly MessageBuffer _compressed = MessageBuffer.Rent();
    private readonly MessageBuffer _content = MessageBuffer.Rent();

    public override string Name => "zstd, each frame alone";

    public override (TimeSpan Compressing, TimeSpan Decompressing) Run(IReadOnlyList<byte[]> frames)
    {
        var (compressing, decompressing) = (0L, 0L);
        Bytes = 0;
        foreach (var frame in frames)
        {
            _compressed.Clear();
            _content.Clear();
            var start = Stopwatch.GetTimestamp();
            _compressor.Compress(frame, _compressed);
            var between = Stopwatch.GetTimestamp();
            _decompressor.Decompress(_compressed.Written.Span, GroupLimits.LongestContent, _content);
            decompressing += Stopwatch.GetTimestamp() - between;
            compressing += between - start;
            Bytes += _compressed.Length;
            Hold(_content.Written.Span, frame);
        }

        return (Stopwatch.GetElapsedTime(0, compressing), Stopwatch.GetElapsedTime(0, decompressing));
    }

    public void Dispose()
    {
        _compressor.Dispose();
        _decompressor.Dispose();
        _compressed.Release();
        _content.Release();
    }
}

/// <summary>gzip of each frame alone, at the level that gRPC's messages get.</summary>
internal sealed class GzipWay : CompressionWay
{
    public override string Name => "gzip, each frame alone";

    public override bool IsSlow => true;

    public override (TimeSpan Compressing, TimeSpan Decompressing) Run(IReadOnlyList<byte[]> frames)
    {
        var (compressing, decompressing) = (0L, 0L);
        var compressed = new MemoryStream(1 << 20);
        var content = new MemoryStream(1 << 20);
        Bytes = 0;
        foreach (var frame in frames)
        {
            compressed.SetLength(0);
            content.SetLength(0);
            var start = Stopwatch.GetTimestamp();
            using (var gzip = new GZipStream(compressed, CompressionLevel.Fastest, leaveOpen: true))
            {
                gzip.Write(frame);
            }

            var between = Stopwatch.GetTimestamp();
            compressed.Position = 0;
            using (var gzip = new GZipStream(compressed, CompressionMode.Decompress, leaveOpen: true))
            {
                gzip.CopyTo(content);
            }

            decompressing += Stopwatch.GetTimestamp() - between;
            compressing += between - start;
            Bytes += compressed.Length;
            Hold(content.GetBuffer().AsSpan(0, (int)content.Length), frame);
        }

        return (Stopwatch.GetElapsedTime(0, compressing), Stopwatch.GetElapsedTime(0, decompressing));
    }
}
