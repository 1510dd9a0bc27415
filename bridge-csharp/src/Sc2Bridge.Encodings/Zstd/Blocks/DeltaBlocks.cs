using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Zstd.Blocks;

/// <summary>
/// Writes a content as blocks of zstd (RFC 8878, 3.1.1.2) that tell how it differs from the content before it in the
/// same stream. It looks at these two alone, so that the processor's caches need not hold more, and tells its tables
/// once in a group. Not thread-safe.
/// </summary>
internal sealed unsafe class DeltaBlocks
{
    // RFC 8878, 3.1.1.2.4; windows are larger.
    private const int LargestBlock = 128 << 10;
    private const int HeaderLength = 3;
    private const uint RawBlock = 0;
    private const uint CompressedBlock = 2;

    // A sequence is told in 11 bytes at most, and stands for 5 at least.
    private const int LargestSections = (4 * LargestBlock) + 2048;

    private readonly MatchFinder _matches = new();
    private readonly LiteralsSection _literals = new();
    private readonly SequenceTables _sequences = new();
    private readonly byte[] _gathered = GC.AllocateUninitializedArray<byte>(LargestBlock);
    private readonly byte[] _sections = GC.AllocateUninitializedArray<byte>(LargestSections);

    /// <summary>A group begins, with blocks that libzstd wrote.</summary>
    public void Begin()
    {
        _literals.IsCodeKnown = false;
        _sequences.Known = default;
    }

    /// <summary>Writes a content.</summary>
    /// <param name="previous">The content before it.</param>
    /// <param name="content">The content; the stream's window reaches over both.</param>
    /// <param name="output">Gets the blocks.</param>
    public void Write(ReadOnlySpan<byte> previous, ReadOnlySpan<byte> content, MessageBuffer output)
    {
        fixed (byte* before = previous)
        fixed (byte* now = content)
        {
            _matches.Begin(before, previous.Length, now, content.Length);
            for (var from = 0; from < content.Length; from += LargestBlock)
            {
                var to = Math.Min(from + LargestBlock, content.Length);
                WriteBlock(content[from..to], _matches.Find(from, to), output);
            }
        }
    }

    private void WriteBlock(ReadOnlySpan<byte> content, ReadOnlySpan<Sequence> sequences, MessageBuffer output)
    {
        var (code, tables) = (_literals.IsCodeKnown, _sequences.Known);
        var length = _literals.Write(Gather(content, sequences), _sections);
        length += _sequences.Write(sequences, _sections.AsSpan(length));
        ReadOnlySpan<byte> body = _sections.AsSpan(0, length);
        var kind = CompressedBlock;
        if (length >= content.Length)
        {
            // The decoder hears nothing of the tables.
            (_literals.IsCodeKnown, _sequences.Known) = (code, tables);
            body = content;
            kind = RawBlock;
        }

        var target = output.GetSpan(HeaderLength + body.Length);
        var header = ((uint)body.Length << 3) | (kind << 1);
        (target[0], target[1], target[2]) = ((byte)header, (byte)(header >> 8), (byte)(header >> 16));
        body.CopyTo(target[HeaderLength..]);
        output.Advance(HeaderLength + body.Length);
    }

    private ReadOnlySpan<byte> Gather(ReadOnlySpan<byte> content, ReadOnlySpan<Sequence> sequences)
    {
        var (from, to) = (0, 0);
        foreach (var (literals, match, _) in sequences)
        {
            content.Slice(from, literals).CopyTo(_gathered.AsSpan(to));
            from += literals + match;
            to += literals;
        }

        content[from..].CopyTo(_gathered.AsSpan(to));
        return _gathered.AsSpan(0, to + content.Length - from);
    }
}
