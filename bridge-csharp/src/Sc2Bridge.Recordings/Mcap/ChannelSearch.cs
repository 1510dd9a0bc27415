using System.Collections;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Finds messages of one channel without an index: by halves over the file's places, looking at the first message of
/// each, and then in one chunk. What it saw of chunks stays known. Not thread-safe.
/// </summary>
/// <remarks>
/// What heads tell has passed no check; but the chunks between which the search ends are loaded and checked, and it
/// begins again without one that is damaged. So damage hides what stands in it, and nothing before or behind it.
/// </remarks>
/// <param name="store">The file's chunks.</param>
/// <param name="heads">Looks into them.</param>
/// <param name="channel">The channel.</param>
internal sealed class ChannelSearch(ChunkStore store, ChunkHeads heads, ushort channel)
{
    // Each damaged place is kept with its exception. After this many, the search fails.
    private const int MostDamaged = 1000;

    // The places that may hold messages of the channel.
    private readonly int[] _places =
        [.. Enumerable.Range(0, store.Places.Count).Where(place => store.Places[place].MayHold(channel))];

    // By place: the first message's key.
    private readonly Dictionary<(MessageKey Key, int Place), ulong> _first = [];

    // Whether a place has no message of the channel, by its index in _places.
    private readonly BitArray _isEmpty = new(store.Places.Count);

    // By place, why it tells nothing.
    private readonly Dictionary<int, McapException> _damaged = [];

    /// <summary>The first message whose key is not less than wanted.</summary>
    /// <returns>
    /// The place, and which of the channel's messages there; the count of places where there is none.
    /// </returns>
    /// <exception cref="McapException">It stands, or may stand, in a chunk that is damaged.</exception>
    public (int Place, int Message) Find(MessageKey key, ulong wanted)
    {
        while (true)
        {
            var (before, behind) = Around(key, wanted);
            if (before >= 0)
            {
                if (!TryFindIn(before, key, wanted, out var found))
                {
                    continue;
                }

                if (found is { } message)
                {
                    return (_places[before], message);
                }
            }

            if (behind < _places.Length && !TryFindIn(behind, key, wanted, out _))
            {
                continue;
            }

            // What is damaged between the two may hold it, but where the one behind begins with it.
            var hidden = Enumerable.Range(before + 1, behind - before - 1).FirstOrDefault(IsDamaged, -1);
            return hidden >= 0 && (behind == _places.Length || First(key, behind) != wanted)
                ? throw _damaged[_places[hidden]]
                : (behind < _places.Length ? _places[behind] : store.Places.Count, 0);
        }
    }

    // The last place that begins before what is wanted, negative where none does, and the first that does not.
    private (int Before, int Behind) Around(MessageKey key, ulong wanted)
    {
        var (before, low, high, behind) = (-1, 0, _places.Length, _places.Length);
        while (low < high)
        {
            // One that tells nothing, as it has no messages or is damaged, is passed over.
            var middle = (low + high) / 2;
            var at = middle;
            while (at < high && First(key, at) is null)
            {
                at++;
            }

            if (at == high)
            {
                high = middle;
            }
            else if (First(key, at) < wanted)
            {
                (before, low) = (at, at + 1);
            }
            else
            {
                (behind, high) = (at, middle);
            }
        }

        return (before, behind);
    }

    private bool IsDamaged(int at) => _damaged.ContainsKey(_places[at]);

    // False where the place is damaged, which is known from then on.
    private bool TryFindIn(int at, MessageKey key, ulong wanted, out int? found)
    {
        found = null;
        try
        {
            found = FindIn(_places[at], key, wanted);
            return true;
        }
        catch (McapException damage)
        {
            Remember(at, damage);
            return false;
        }
    }

    private int? FindIn(int place, MessageKey key, ulong wanted)
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

            return low < messages.Length ? low : null;
        }
        finally
        {
            store.Release(chunk);
        }
    }

    private ulong? First(MessageKey key, int at)
    {
        var place = _places[at];
        if (_isEmpty[at] || IsDamaged(at))
        {
            return null;
        }

        if (_first.TryGetValue((key, place), out var known))
        {
            return known;
        }

        ulong? first = null;
        try
        {
            if (store.Find(place) is { } loaded)
            {
                first = loaded.Of(channel) is [var message, ..] ? Key(key, loaded, message) : null;
            }
            else if (heads.TryFirst(store.Places[place], channel, key.NeedsData(), out var head, out var data))
            {
                first = key.Of(head.Sequence, head.LogTime, data.Span, store.Places[place].Offset);
            }
        }
        catch (McapException damage)
        {
            Remember(at, damage);
        }

        if (first is { } found)
        {
            _first[(key, place)] = found;
        }
        else
        {
            _isEmpty[at] = !IsDamaged(at);
        }

        return first;
    }

    private void Remember(int at, McapException damage) =>
        _damaged[_places[at]] = _damaged.Count < MostDamaged ? damage : throw damage;

    private ulong Key(MessageKey key, LoadedChunk chunk, in MessagePlace message) => key.Of(
        message.Sequence, message.LogTime, chunk.DataOf(message).Span, store.Places[chunk.Place].Offset);
}
