namespace Sc2Bridge.Encodings.Zstd;

/// <summary>One subscriber's position in the stream of groups. Not thread-safe.</summary>
internal sealed class GroupPosition
{
    private ulong _group;
    private int _nextIndex;

    /// <summary>Moves the position behind a block that is sent now.</summary>
    /// <returns>
    /// The index of the first block that the subscriber lacks: the block's own index if no earlier block is missing. All blocks from that
    /// index on must be sent with this block.
    /// </returns>
    /// <exception cref="InvalidOperationException">The subscriber has received this block or a later one.</exception>
    public int Advance(GroupBlock block)
    {
        ArgumentNullException.ThrowIfNull(block);
        var group = block.Group.Number;
        var first = group == _group ? _nextIndex : 0;
        if (group < _group || first > block.Index)
        {
            throw new InvalidOperationException(
                $"Block {block.Index} of group {group} was sent after block {_nextIndex - 1} of group {_group}.");
        }

        (_group, _nextIndex) = (group, block.Index + 1);
        return first;
    }
}
