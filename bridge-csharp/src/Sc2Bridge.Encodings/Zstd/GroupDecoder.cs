using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// Reads what a subscriber of group zstd is sent: every block in its turn. Bounded: it makes no more than the bytes that
/// a block speaks of, and no content longer than it was told to take. Not thread-safe.
/// </summary>
/// <param name="longest">The longest content to take, in bytes.</param>
public sealed class GroupDecoder(int longest = GroupLimits.LongestContent) : IDisposable
{
    private readonly ZstdDecompressor _zstd = new();
    private readonly MessageBuffer _content = MessageBuffer.Rent();
    private ulong _group;
    private uint _next;

    // Also at first: no group is known, whatever its number.
    private bool _broken = true;

    /// <summary>Decompresses a block, after the earlier ones that came with it.</summary>
    /// <returns>The content, until the next call.</returns>
    /// <exception cref="EncodingException">
    /// It is no block, or not the next one; nothing more can be read until a group begins.
    /// </exception>
    public ReadOnlyMemory<byte> Decode(Block block)
    {
        ArgumentNullException.ThrowIfNull(block);
        var known = block.Group == _group && !_broken;
        _broken = true;
        Check(block, known);
        if (!known)
        {
            _zstd.Begin((int)block.WindowLog);
            _group = block.Group;
        }

        for (var index = 0; index < block.Earlier.Count; index++)
        {
            Next(block.Earlier[index].Span, block.EarlierSizes[index]);
        }

        Next(block.Data.Span, block.Size);
        _next = block.Index + 1;
        _broken = false;
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

    private void Check(Block block, bool known)
    {
        if (block.EarlierSizes.Count != block.Earlier.Count)
        {
            throw new EncodingException(
                $"A block brings {block.Earlier.Count} earlier ones and {block.EarlierSizes.Count} sizes of them.");
        }

        var first = (long)block.Index - block.Earlier.Count;
        var expected = known ? _next : 0;
        if (first != expected)
        {
            throw new EncodingException(
                $"Block {first} of group {block.Group} came where block {expected} was to come.");
        }

        if (block.WindowLog is < GroupLimits.ShortestWindowLog or > GroupLimits.MostWindowLog)
        {
            throw new EncodingException(
                $"A window of 2^{block.WindowLog} bytes: from {GroupLimits.ShortestWindowLog} to "
                + $"{GroupLimits.MostWindowLog} are taken.");
        }

        foreach (var size in (ReadOnlySpan<uint>)[block.Size, .. block.EarlierSizes])
        {
            if (size > longest)
            {
                throw new EncodingException($"A content of {size} bytes is longer than the {longest} that are taken.");
            }
        }
    }
}
