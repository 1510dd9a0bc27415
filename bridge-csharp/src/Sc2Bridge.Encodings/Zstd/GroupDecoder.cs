using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// Decodes the blocks that a subscriber of group zstd receives, in order. To limit memory, it produces only as many bytes as a block
/// declares, and refuses a content above the limit. Not thread-safe.
/// </summary>
/// <param name="longest">The maximum size of a content in bytes.</param>
public sealed class GroupDecoder(int longest = GroupLimits.LongestContent) : IDisposable
{
    private readonly ZstdDecompressor _zstd = new();
    private readonly MessageBuffer _content = MessageBuffer.Rent();
    private ulong _group;
    private uint _nextIndex;

    // Whether no block can be decoded until a group begins: after an error, and at the start.
    private bool _isBroken = true;

    /// <summary>Decodes a block, after the earlier blocks in the same message.</summary>
    /// <returns>The content, which is valid until the next call.</returns>
    /// <exception cref="EncodingException">
    /// The block is malformed or not the next block. Nothing more can be decoded until a new group begins.
    /// </exception>
    public ReadOnlyMemory<byte> Decode(Block block)
    {
        ArgumentNullException.ThrowIfNull(block);
        var isSameGroup = block.Group == _group && !_isBroken;
        _isBroken = true;
        Check(block, isSameGroup);
        if (!isSameGroup)
        {
            _zstd.Begin((int)block.WindowLog);
            _group = block.Group;
        }

        for (var index = 0; index < block.Earlier.Count; index++)
        {
            Next(block.Earlier[index].Span, block.EarlierSizes[index]);
        }

        Next(block.Data.Span, block.Size);
        _nextIndex = block.Index + 1;
        _isBroken = false;
        return _content.Written;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _zstd.Dispose();
        _content.Release();
    }

    private void Next(ReadOnlySpan<byte> data, uint size)
    {
        _content.Clear();
        _zstd.Next(data, (int)size, _content);
    }

    private void Check(Block block, bool isSameGroup)
    {
        if (block.EarlierSizes.Count != block.Earlier.Count)
        {
            throw new EncodingException(
                $"A block has {block.Earlier.Count} earlier blocks, but {block.EarlierSizes.Count} sizes for them.");
        }

        var first = (long)block.Index - block.Earlier.Count;
        var expected = isSameGroup ? _nextIndex : 0;
        if (first != expected)
        {
            throw new EncodingException(
                $"Block {first} of group {block.Group} arrived, but block {expected} was expected.");
        }

        if (block.WindowLog is < GroupLimits.LeastDecoderWindowLog or > GroupLimits.MostWindowLog)
        {
            throw new EncodingException(
                $"The window has 2^{block.WindowLog} bytes; expected an exponent from {GroupLimits.LeastDecoderWindowLog} to "
                + $"{GroupLimits.MostWindowLog}.");
        }

        foreach (var size in (ReadOnlySpan<uint>)[block.Size, .. block.EarlierSizes])
        {
            if (size > longest)
            {
                throw new EncodingException($"A content of {size} bytes is longer than the limit of {longest} bytes.");
            }
        }
    }
}
