using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// One of libzstd's decompressing contexts: either whole frames, or a stream that comes in pieces. It makes no more bytes
/// than it is told to, and looks back no further. Not thread-safe.
/// </summary>
public sealed unsafe class ZstdDecompressor : IDisposable
{
    private const ulong UnknownSize = ulong.MaxValue;

    private readonly NativeZstd.DecompressContext _context;

    /// <summary>A context of its own.</summary>
    /// <exception cref="ZstdException">There is no libzstd, or no memory.</exception>
    public ZstdDecompressor()
    {
        ZstdLibrary.Require();
        _context = NativeZstd.CreateDecompressContext();
        if (_context.IsInvalid)
        {
            throw new ZstdException("zstd: no memory for a decompressing context");
        }
    }

    /// <summary>Begins a new stream.</summary>
    /// <param name="windowLog">Base 2 logarithm of the largest window to take.</param>
    public void Begin(int windowLog)
    {
        NativeZstd.Checked(NativeZstd.Reset(_context, NativeZstd.ResetDirective.Session));
        NativeZstd.Checked(NativeZstd.Set(_context, NativeZstd.DecompressParameter.WindowLogMax, windowLog));
    }

    /// <summary>Decompresses the next piece of the stream.</summary>
    /// <param name="piece">Its bytes.</param>
    /// <param name="size">How many it must give.</param>
    /// <param name="output">Gets them.</param>
    /// <exception cref="EncodingException">It is no zstd, or gives another number of bytes.</exception>
    public void Next(ReadOnlySpan<byte> piece, int size, MessageBuffer output) => Run(piece, size, output);

    /// <summary>Decompresses one whole zstd frame that tells its size.</summary>
    /// <param name="frame">Its bytes.</param>
    /// <param name="longest">The most bytes to make.</param>
    /// <param name="windowLog">Base 2 logarithm of the largest window to take.</param>
    /// <param name="output">Gets the content.</param>
    /// <exception cref="EncodingException">It is no zstd, does not tell its size, or is longer than that.</exception>
    public void Decompress(ReadOnlySpan<byte> frame, int longest, int windowLog, MessageBuffer output)
    {
        ulong size;
        fixed (byte* source = frame)
        {
            size = NativeZstd.FrameContentSize(source, (nuint)frame.Length);
        }

        if (size >= UnknownSize - 1)
        {
            throw new EncodingException("The bytes are no zstd frame that tells its size.");
        }

        if (size > (ulong)longest)
        {
            throw new EncodingException($"A content of {size} bytes is longer than the {longest} that are taken.");
        }

        Begin(windowLog);
        if (Run(frame, (int)size, output) != 0)
        {
            throw new EncodingException("A zstd frame is cut off.");
        }
    }

    /// <summary>Decompresses whole zstd frames, whether they tell their sizes or not.</summary>
    /// <param name="frames">Their bytes.</param>
    /// <param name="target">Gets the content.</param>
    /// <returns>How many bytes they gave.</returns>
    /// <exception cref="EncodingException">They are no zstd, damaged, or give more than there is room for.</exception>
    public int Decompress(ReadOnlySpan<byte> frames, Span<byte> target)
    {
        fixed (byte* source = frames)
        fixed (byte* to = target)
        {
            var made = NativeZstd.Decompress(_context, to, (nuint)target.Length, source, (nuint)frames.Length);
            return NativeZstd.IsError(made) == 0
                ? (int)made
                : throw new EncodingException($"The bytes are no whole zstd: {Reason(made)}.");
        }
    }

    /// <summary>Decompresses as much of a piece of the stream as there is room for.</summary>
    /// <param name="piece">Its bytes.</param>
    /// <param name="target">Gets what they give.</param>
    /// <returns>How many were read, and how many they gave; more may come of what was read.</returns>
    /// <exception cref="EncodingException">It is no zstd, or damaged.</exception>
    public (int Read, int Made) Next(ReadOnlySpan<byte> piece, Span<byte> target)
    {
        fixed (byte* source = piece)
        fixed (byte* to = target)
        {
            var input = new NativeZstd.InBuffer { Source = source, Size = (nuint)piece.Length };
            var room = new NativeZstd.OutBuffer { Target = to, Size = (nuint)target.Length };
            var code = NativeZstd.DecompressStream(_context, &room, &input);
            return NativeZstd.IsError(code) == 0
                ? ((int)input.Position, (int)room.Position)
                : throw new EncodingException($"The bytes are no zstd: {Reason(code)}.");
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _context.Dispose();

    private static string Reason(nuint code) =>
        System.Runtime.InteropServices.Marshal.PtrToStringUTF8(NativeZstd.ErrorName(code)) ?? "";

    // Returns 0 where a frame has just ended.
    private nuint Run(ReadOnlySpan<byte> piece, int size, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);

        // With a byte to spare the decoder gives all that it has; and one byte too many is seen.
        var free = output.GetSpan(checked(size + 1))[..(size + 1)];
        fixed (byte* source = piece)
        fixed (byte* target = free)
        {
            var input = new NativeZstd.InBuffer { Source = source, Size = (nuint)piece.Length };
            var room = new NativeZstd.OutBuffer { Target = target, Size = (nuint)free.Length };
            nuint code = 1;

            // libzstd takes a few empty pieces in a row for a caller that is lost.
            while (input.Position < input.Size)
            {
                var (consumed, made) = (input.Position, room.Position);
                code = NativeZstd.DecompressStream(_context, &room, &input);
                if (NativeZstd.IsError(code) != 0)
                {
                    throw new EncodingException($"The bytes are no zstd: {Reason(code)}.");
                }

                if (room.Position > (nuint)size)
                {
                    throw new EncodingException($"A block gives more than the {size} bytes that it speaks of.");
                }

                if (input.Position == consumed && room.Position == made)
                {
                    break;
                }
            }

            if (input.Position < input.Size || room.Position != (nuint)size)
            {
                throw new EncodingException($"A block gives {room.Position} bytes and speaks of {size}.");
            }

            output.Advance(size);
            return code;
        }
    }
}
