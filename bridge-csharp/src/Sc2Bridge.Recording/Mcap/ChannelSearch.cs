namespace Sc2Bridge.Recording.Mcap;

/// <summary>
/// Finds messages of one channel without an index: by halves over the file's places, looking at the first message of
/// each, and then in one chunk. What it saw of chunks stays known. Not thread-safe.
/// </summary>
/// <remarks>
/// What heads tell has passed no check; but the chunk that the search ends in is loaded and checked, and so is the one
/// behind it by whoever reads on from its first message. So a damaged chunk can bring an error, and no wrong message.
/// </remarks>
/// <param name="store">The file's chunks.</param>
/// <param name="heads">Looks into them.</param>
/// <param name="channel">The channel.</param>
internal sealed class ChannelSearch(ChunkStore store, ChunkHeads heads, ushort channel)
{
    // The places that may hold messages of the channel.
    private readonly int[] _places =
        [.. Enumerable.Range(0, store.Places.Count).Where(place => store.Places[place].MayHold(channel))];

    // By place: the first message's key, null where it has none.
    private readonly Dictionary<(MessageKey Key, int Place), ulong?> _first = [];

    /// <summary>The first message whose key is not less than wanted.</summary>
    /// <returns>
    /// The place, and which of the channel's messages there; the count of places where there is none.
    /// </returns>
    /// <exception cref="McapException">A chunk that was needed is damaged.</exception>
    public (int Place, int Message) Find(MessageKey key, ulong wanted)
    {
        var (low, high, before) = (0, _places.Length, -1);
        while (low < high)
        {
            var middle = (low + high) / 2;
            var at = middle;
            var first = First(key, at);
            while (first is null && ++at < high)
            {
                first = First(key, at);
            }

            if (first < wanted)
            {
                (low, before) = (at + 1, at);
            }
            else
            {
                high = middle;
            }
        }

        if (before >= 0 && FindIn(_places[before], key, wanted) is { } found)
        {
            return found;
        }

        return (low < _places.Length ? _places[low] : store.Places.Count, 0);
    }

    private (int Place, int Message)? FindIn(int place, MessageKey key, ulong wanted)
    {
        var chunk = store.Take(place);
        try
        {
            var messages = chunk.Of(channel);
            var (low, high) = (0, messages.Length);
            while (low < high)
            {
                var middle = (low + high) / 2;
                if (Key(key, chunk, messages[middle]) < wanted)
                {
                    low = middle + 1;
                }
                else
                {
                    high = middle;
                }
            }

            return low < messages.Length ? (place, low) : null;
        }
        finally
        {
            store.Release(chunk);
        }
    }

    private ulong? First(MessageKey key, int at)
    {
        var place = _places[at];
        if (_first.TryGetValue((key, place), out var known))
        {
            return known;
        }

        ulong? first = null;
        if (store.Find(place) is { } loaded)
        {
            first = loaded.Of(channel) is [var message, ..] ? Key(key, loaded, message) : null;
        }
        else if (heads.TryFirst(store.Places[place], channel, key.NeedsData(), out var head, out var data))
        {
            first = key.Of(head.Sequence, head.LogTime, data.Span, store.Places[place].Offset);
        }

        return _first[(key, place)] = first;
    }

    private ulong Key(MessageKey key, LoadedChunk chunk, in MessagePlace message) => key.Of(
        message.Sequence, message.LogTime, chunk.DataOf(message).Span, store.Places[chunk.Place].Offset);
}
