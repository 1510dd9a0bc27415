using System.Buffers;
using Sc2Bridge.Protocol;
using ZstdSharp;
using ZstdSharp.Unsafe;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// A decompressing context: either whole frames, or a stream that comes in pieces. It makes no more bytes than it is told
/// to, and looks back no further. Not thread-safe. It holds memory outside the garbage-collected heap until it is
/// disposed.
/// </summary>
public sealed class ZstdDecompressor : IDisposable
{
    private readonly Decompressor _zstd = new();

    /// <summary>Begins a new stream.</summary>
    /// <param name="windowLog">Base 2 logarithm of the largest window to take.</param>
    public void Begin(int windowLog)
    {
        _zstd.ResetStream();
        _zstd.SetParameter(ZSTD_dParameter.ZSTD_d_windowLogMax, windowLog);
    }

    /// <summary>Decompresses the next piece of the stream.</summary>
    /// <param name="piece">Its bytes.</param>
    /// <param name="size">How many it must give.</param>
    /// <param name="output">Gets them.</param>
    /// <exception cref="EncodingException">It is no zstd, or gives another number of bytes.</exception>
    public void Next(ReadOnlySpan<byte> piece, int size, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);

        // With a byte to spare the decoder gives all that it has; and one byte too many is seen. Of empty pieces it takes
        // only a few in a row.
        var room = output.GetSpan(checked(size + 1))[..(size + 1)];
        var made = piece.IsEmpty ? 0 : Next(piece, room).Made;
        if (made > size)
        {
            throw new EncodingException($"A block gives more than the {size} bytes that it speaks of.");
        }

        if (made < size)
        {
            throw new EncodingException($"A block gives {made} bytes and speaks of {size}.");
        }

        output.Advance(size);
    }

    /// <summary>Decompresses as much of a piece of the stream as there is room for.</summary>
    /// <param name="piece">Its bytes.</param>
    /// <param name="target">Gets what they give.</param>
    /// <returns>How many were read, and how many they gave; more may come of what was read.</returns>
    /// <exception cref="EncodingException">It is no zstd, or damaged.</exception>
    public (int Read, int Made) Next(ReadOnlySpan<byte> piece, Span<byte> target) =>
        _zstd.UnwrapStream(piece, target, out var read, out var made) != OperationStatus.InvalidData
            ? (read, made)
            : throw new EncodingException("The bytes are no zstd.");

    /// <summary>Decompresses whole zstd frames.</summary>
    /// <param name="frames">Their bytes.</param>
    /// <param name="longest">The most bytes to make.</param>
    /// <param name="output">Gets the content.</param>
    /// <exception cref="EncodingException">They are no zstd, damaged, or give more than that.</exception>
    public void Decompress(ReadOnlySpan<byte> frames, int longest, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);
        var size = MostOf(frames);
        if (size > (ulong)longest)
        {
            throw new EncodingException($"A content of {size} bytes is longer than the {longest} that are taken.");
        }

        output.Advance(Decompress(frames, output.GetSpan((int)size)));
    }

    /// <summary>Decompresses whole zstd frames, whether they tell their sizes or not.</summary>
    /// <param name="frames">Their bytes.</param>
    /// <param name="target">Gets the content.</param>
    /// <returns>How many bytes they gave.</returns>
    /// <exception cref="EncodingException">They are no zstd, damaged, or give more than there is room for.</exception>
    public int Decompress(ReadOnlySpan<byte> frames, Span<byte> target)
    {
        try
        {
            return frames.IsEmpty ? throw new EncodingException("No bytes are no zstd.") : _zstd.Unwrap(frames, target);
        }
        catch (ZstdException damage)
        {
            throw Damaged(damage);
        }
    }

    /// <summary>The most bytes that whole zstd frames can give, by the heads of their blocks: nothing is decompressed.</summary>
    /// <exception cref="EncodingException">They are no zstd, or damaged.</exception>
    private static ulong MostOf(ReadOnlySpan<byte> frames)
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
        new($"The bytes are no whole zstd: {damage.Message}.");
}
