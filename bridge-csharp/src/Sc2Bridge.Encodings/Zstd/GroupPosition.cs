namespace Sc2Bridge.Encodings.Zstd;

/// <summary>How far one subscriber has come in the stream of groups. Not thread-safe.</summary>
internal sealed class GroupPosition
{
    private ulong _group;
    private int _next;

    /// <summary>The subscriber is sent a block, with those before it that it lacks.</summary>
    /// <returns>
    /// The first that it lacks: those from there to before the block itself go along with it. The block's own index
    /// where it lacks none.
    /// </returns>
    /// <exception cref="InvalidOperationException">It was sent this block, or a later one, before.</exception>
    public int Advance(GroupBlock block)
    {
        ArgumentNullException.ThrowIfNull(block);
        var group = block.Group.Number;
        var first = group == _group ? _next : 0;
        if (group < _group || first > block.Index)
        {
            throw new InvalidOperationException(
                $"Block {block.Index} of group {group} was sent after block {_next - 1} of group {_group}.");
        }

        (_group, _next) = (group, block.Index + 1);
        return first;
    }
}
