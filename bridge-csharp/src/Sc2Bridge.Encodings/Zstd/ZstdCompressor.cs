using System.Buffers;
using Sc2Bridge.Protocol;
using ZstdSharp;
using ZstdSharp.Unsafe;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// A compressing context at level 1: whole frames, a stream that is flushed after each piece, or a frame that is made
/// piece by piece. Not thread-safe. It holds memory outside the garbage-collected heap until it is disposed.
/// </summary>
public sealed class ZstdCompressor : IDisposable
{
    /// <summary>On observations a higher level costs several times as much and gains next to nothing.</summary>
    public const int Level = 1;

    private readonly Compressor _zstd = new(Level);

    /// <summary>Begins a new stream; what an earlier one still held is dropped.</summary>
    /// <param name="windowLog">Base 2 logarithm of the bytes that it looks back over.</param>
    /// <param name="checksum">Whether the frame, when it is ended, tells a checksum of its content.</param>
    public void Begin(int windowLog, bool checksum = false)
    {
        _zstd.ResetStream();
        _zstd.SetParameter(ZSTD_cParameter.ZSTD_c_windowLog, windowLog);
        _zstd.SetParameter(ZSTD_cParameter.ZSTD_c_checksumFlag, checksum ? 1 : 0);
    }

    /// <summary>Adds a piece to the stream and flushes, so that all of it can be decompressed.</summary>
    /// <param name="piece">Its bytes.</param>
    /// <param name="output">Gets what the stream grows by.</param>
    public void Flush(ReadOnlySpan<byte> piece, MessageBuffer output)
    {
        Add(piece, output);
        Empty(output, end: false);
    }

    /// <summary>Adds a piece to the stream; what of it is not written yet comes with a later call.</summary>
    /// <param name="piece">Its bytes.</param>
    /// <param name="output">Gets what the stream grows by.</param>
    public void Add(ReadOnlySpan<byte> piece, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);
        OperationStatus status;
        do
        {
            status = _zstd.WrapStream(
                piece, output.GetSpan(Room(piece.Length)), out var consumed, out var written, isFinalBlock: false);
            output.Advance(written);
            piece = piece[consumed..];
        }
        while (GoesOn(status));
    }

    /// <summary>Ends the stream: all of it together is one zstd frame.</summary>
    /// <param name="output">Gets what was left of it.</param>
    public void End(MessageBuffer output) => Empty(output, end: true);

    /// <summary>Compresses a content into one zstd frame that tells its size.</summary>
    public void Compress(ReadOnlySpan<byte> content, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Advance(_zstd.Wrap(content, output.GetSpan(Compressor.GetCompressBound(content.Length))));
    }

    /// <inheritdoc/>
    public void Dispose() => _zstd.Dispose();

    private void Empty(MessageBuffer output, bool end)
    {
        OperationStatus status;
        do
        {
            status = _zstd.FlushStream(output.GetSpan(Room(0)), out var written, end);
            output.Advance(written);
        }
        while (GoesOn(status));
    }

    // A piece that is like the one before takes a few KiB; where that is too little it goes on.
    private static int Room(int length) => Math.Max(length / 16, 4096);

    private static bool GoesOn(OperationStatus status) => status switch
    {
        OperationStatus.Done => false,
        OperationStatus.DestinationTooSmall => true,
        _ => throw new ZstdException(ZSTD_ErrorCode.ZSTD_error_GENERIC, "zstd could not compress: is there memory left?"),
    };
}
