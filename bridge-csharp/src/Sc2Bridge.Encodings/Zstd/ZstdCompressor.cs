using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// One of libzstd's compressing contexts, at level 1: whole frames, a stream that is flushed after each piece, or a frame
/// that is made piece by piece. Not thread-safe; the memory is libzstd's until it is disposed.
/// </summary>
public sealed unsafe class ZstdCompressor : IDisposable
{
    /// <summary>On observations a higher level costs several times as much and gains next to nothing.</summary>
    public const int Level = 1;

    private readonly NativeZstd.CompressContext _context;

    /// <summary>A context of its own.</summary>
    /// <exception cref="ZstdException">There is no libzstd, or no memory.</exception>
    public ZstdCompressor()
    {
        ZstdLibrary.Require();
        _context = NativeZstd.CreateCompressContext();
        if (_context.IsInvalid)
        {
            throw new ZstdException("zstd: no memory for a compressing context");
        }

        NativeZstd.Checked(NativeZstd.Set(_context, NativeZstd.CompressParameter.Level, Level));
    }

    /// <summary>Begins a new stream; what an earlier one still held is dropped.</summary>
    /// <param name="windowLog">Base 2 logarithm of the bytes that it looks back over.</param>
    /// <param name="hashLog">Base 2 logarithm of the places that it remembers there; 0: what the level takes.</param>
    /// <param name="checksum">Whether the frame, when it is ended, tells a checksum of its content.</param>
    public void Begin(int windowLog, int hashLog = 0, bool checksum = false)
    {
        NativeZstd.Checked(NativeZstd.Reset(_context, NativeZstd.ResetDirective.Session));
        NativeZstd.Checked(NativeZstd.Set(_context, NativeZstd.CompressParameter.WindowLog, windowLog));
        NativeZstd.Checked(NativeZstd.Set(_context, NativeZstd.CompressParameter.HashLog, hashLog));
        NativeZstd.Checked(NativeZstd.Set(_context, NativeZstd.CompressParameter.Checksum, checksum ? 1 : 0));
    }

    /// <summary>Adds a piece to the stream and flushes, so that all of it can be decompressed.</summary>
    /// <param name="piece">Its bytes.</param>
    /// <param name="output">Gets what the stream grows by.</param>
    public void Flush(ReadOnlySpan<byte> piece, MessageBuffer output) =>
        Run(piece, output, NativeZstd.EndDirective.Flush);

    /// <summary>Adds a piece to the stream; what of it is not told yet comes with a later call.</summary>
    /// <param name="piece">Its bytes.</param>
    /// <param name="output">Gets what the stream grows by.</param>
    public void Add(ReadOnlySpan<byte> piece, MessageBuffer output) =>
        Run(piece, output, NativeZstd.EndDirective.Continue);

    /// <summary>Ends the stream: all of it together is one zstd frame.</summary>
    /// <param name="output">Gets what was left of it.</param>
    public void End(MessageBuffer output) => Run([], output, NativeZstd.EndDirective.End);

    /// <summary>Compresses a content into one zstd frame that tells its size.</summary>
    public void Compress(ReadOnlySpan<byte> content, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);
        var bound = checked((int)NativeZstd.CompressBound((nuint)content.Length));
        var free = output.GetSpan(bound);
        fixed (byte* source = content)
        fixed (byte* target = free)
        {
            output.Advance((int)NativeZstd.Checked(NativeZstd.Compress(
                _context, target, (nuint)free.Length, source, (nuint)content.Length)));
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _context.Dispose();

    private void Run(ReadOnlySpan<byte> piece, MessageBuffer output, NativeZstd.EndDirective directive)
    {
        ArgumentNullException.ThrowIfNull(output);
        fixed (byte* source = piece)
        {
            var input = new NativeZstd.InBuffer { Source = source, Size = (nuint)piece.Length };
            nuint left;
            do
            {
                // A piece that is like the one before takes a few KiB; where that is too little it goes on.
                var free = output.GetSpan(Math.Max(piece.Length / 16, 4096));
                fixed (byte* target = free)
                {
                    var room = new NativeZstd.OutBuffer { Target = target, Size = (nuint)free.Length };
                    left = NativeZstd.Checked(NativeZstd.CompressStream(_context, &room, &input, directive));
                    output.Advance((int)room.Position);
                }

                // Where nothing is to be flushed, what is left is only a hint.
                left = directive == NativeZstd.EndDirective.Continue ? 0 : left;
            }
            while (left > 0 || input.Position < input.Size);
        }
    }
}
