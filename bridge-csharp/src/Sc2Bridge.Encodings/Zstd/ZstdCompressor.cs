using System.Buffers;
using Sc2Bridge.Protocol;
using ZstdSharp;
using ZstdSharp.Unsafe;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// A zstd compression context at level 1. It makes whole zstd frames, or a stream that is flushed after each piece, or one zstd frame from
/// many pieces. Not thread-safe. Dispose frees its unmanaged memory.
/// </summary>
public sealed class ZstdCompressor : IDisposable
{
    /// <summary>The zstd level. For observations, a higher level takes several times as long and saves almost no bytes.</summary>
    public const int Level = 1;

    private readonly Compressor _zstd = new(Level);

    /// <summary>Starts a new stream. Unwritten bytes of the previous stream are discarded.</summary>
    /// <param name="windowLog">Base 2 logarithm of the window in bytes.</param>
    /// <param name="checksum">Whether the zstd frame contains a checksum of its content.</param>
    public void Begin(int windowLog, bool checksum = false)
    {
        _zstd.ResetStream();
        _zstd.SetParameter(ZSTD_cParameter.ZSTD_c_windowLog, windowLog);
        _zstd.SetParameter(ZSTD_cParameter.ZSTD_c_checksumFlag, checksum ? 1 : 0);
    }

    /// <summary>Adds a piece to the stream and flushes the stream, so that the whole piece can be decompressed.</summary>
    /// <param name="piece">The piece.</param>
    /// <param name="output">Gets the new bytes of the stream.</param>
    public void Flush(ReadOnlySpan<byte> piece, MessageBuffer output)
    {
        Add(piece, output);
        WriteBuffered(output, end: false);
    }

    /// <summary>Adds a piece to the stream. A later call may write the rest of its compressed bytes.</summary>
    /// <param name="piece">The piece.</param>
    /// <param name="output">Gets the new bytes of the stream.</param>
    public void Add(ReadOnlySpan<byte> piece, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);
        OperationStatus status;
        do
        {
            status = _zstd.WrapStream(
                piece, output.GetSpan(ExpectedSize(piece.Length)), out var consumed, out var written, isFinalBlock: false);
            output.Advance(written);
            piece = piece[consumed..];
        }
        while (HasMoreOutput(status));
    }

    /// <summary>Ends the stream, which is then one complete zstd frame.</summary>
    /// <param name="output">Gets the last bytes of the stream.</param>
    public void End(MessageBuffer output) => WriteBuffered(output, end: true);

    /// <summary>Compresses a content into one zstd frame that declares the content's size.</summary>
    public void Compress(ReadOnlySpan<byte> content, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Advance(_zstd.Wrap(content, output.GetSpan(Compressor.GetCompressBound(content.Length))));
    }

    /// <inheritdoc/>
    public void Dispose() => _zstd.Dispose();

    private void WriteBuffered(MessageBuffer output, bool end)
    {
        OperationStatus status;
        do
        {
            status = _zstd.FlushStream(output.GetSpan(ExpectedSize(0)), out var written, end);
            output.Advance(written);
        }
        while (HasMoreOutput(status));
    }

    // A piece that is similar to the previous piece takes a few KiB. If a piece takes more, the calling loop requests more room.
    private static int ExpectedSize(int length) => Math.Max(length / 16, 4096);

    private static bool HasMoreOutput(OperationStatus status) => status switch
    {
        OperationStatus.Done => false,
        OperationStatus.DestinationTooSmall => true,
        _ => throw new ZstdException(ZSTD_ErrorCode.ZSTD_error_GENERIC, "zstd could not compress: check the free memory"),
    };
}
