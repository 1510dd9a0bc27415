using System.Buffers;
using Sc2Bridge.Protocol;
using ZstdSharp;
using ZstdSharp.Unsafe;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// A zstd decompression context, for whole zstd frames or for a stream in pieces. Limits the sizes of the output and of the window. Not
/// thread-safe. Dispose frees its unmanaged memory.
/// </summary>
public sealed class ZstdDecompressor : IDisposable
{
    private readonly Decompressor _zstd = new();

    /// <summary>Starts a new stream.</summary>
    /// <param name="windowLog">Base 2 logarithm of the largest accepted window.</param>
    public void Begin(int windowLog)
    {
        _zstd.ResetStream();
        _zstd.SetParameter(ZSTD_dParameter.ZSTD_d_windowLogMax, windowLog);
    }

    /// <summary>Decompresses the next piece of the stream.</summary>
    /// <param name="piece">The piece.</param>
    /// <param name="size">The exact size of the piece's content.</param>
    /// <param name="output">Gets the content.</param>
    /// <exception cref="EncodingException">The piece is not zstd, or its content has another size.</exception>
    public void Next(ReadOnlySpan<byte> piece, int size, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);

        // The target has one spare byte. So the decoder returns all bytes that it has, and a content that is too long is detected.
        // Empty pieces are not passed on, because the decoder accepts only a few of them in a row.
        var room = output.GetSpan(checked(size + 1))[..(size + 1)];
        var made = piece.IsEmpty ? 0 : Next(piece, room).Made;
        if (made > size)
        {
            throw new EncodingException($"A block decompresses to more than its declared size of {size} bytes.");
        }

        if (made < size)
        {
            throw new EncodingException($"A block decompresses to {made} bytes, but its declared size is {size}.");
        }

        output.Advance(size);
    }

    /// <summary>Decompresses a piece of the stream until the target is full.</summary>
    /// <param name="piece">The piece.</param>
    /// <param name="target">Gets the content.</param>
    /// <returns>The numbers of bytes read and written. The decoder may have more output for the bytes that it has read.</returns>
    /// <exception cref="EncodingException">The piece is not zstd, or is damaged.</exception>
    public (int Read, int Made) Next(ReadOnlySpan<byte> piece, Span<byte> target) =>
        _zstd.UnwrapStream(piece, target, out var read, out var made) != OperationStatus.InvalidData
            ? (read, made)
            : throw new EncodingException("The bytes are not zstd: expected a piece of a zstd stream.");

    /// <summary>Decompresses whole zstd frames.</summary>
    /// <param name="frames">The frames.</param>
    /// <param name="longest">The maximum size of the content in bytes.</param>
    /// <param name="output">Gets the content.</param>
    /// <exception cref="EncodingException">The bytes are not zstd, are damaged, or have a longer content.</exception>
    public void Decompress(ReadOnlySpan<byte> frames, int longest, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);
        var size = LargestContent(frames);
        if (size > (ulong)longest)
        {
            throw new EncodingException($"A content of {size} bytes is longer than the limit of {longest} bytes.");
        }

        output.Advance(Decompress(frames, output.GetSpan((int)size)));
    }

    /// <summary>Decompresses whole zstd frames, with or without a declared size.</summary>
    /// <param name="frames">The frames.</param>
    /// <param name="target">Gets the content.</param>
    /// <returns>The size of the content in bytes.</returns>
    /// <exception cref="EncodingException">The bytes are not zstd, are damaged, or have a longer content than the target.</exception>
    public int Decompress(ReadOnlySpan<byte> frames, Span<byte> target)
    {
        try
        {
            return frames.IsEmpty ? throw new EncodingException("The input is empty: expected zstd.") : _zstd.Unwrap(frames, target);
        }
        catch (ZstdException damage)
        {
            throw Damaged(damage);
        }
    }

    /// <summary>Returns the maximum size of the content of whole zstd frames, from the headers of the frames' blocks. Nothing is decompressed.</summary>
    /// <exception cref="EncodingException">The bytes are not zstd, or are damaged.</exception>
    private static ulong LargestContent(ReadOnlySpan<byte> frames)
    {
        try
        {
            return Decompressor.GetDecompressedSize(frames);
        }
        catch (ZstdException damage)
        {
            throw Damaged(damage);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _zstd.Dispose();

    private static EncodingException Damaged(ZstdException damage) =>
        new($"The bytes are not a complete zstd frame: {damage.Message}.");
}
