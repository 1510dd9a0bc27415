namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Finds messages of one channel without an index: by halves over the file's places, looking at the first message of
/// each, and then in one chunk. What it saw of chunks stays known. Not thread-safe.
/// </summary>
/// <remarks>
/// The beginnings of chunks have passed no check; but the chunks between which the search ends are loaded and checked, and
/// it begins again without one that is damaged. So damage hides what stands in it, and nothing before or behind it.
/// </remarks>
/// <param name="store">The file's chunks.</param>
/// <param name="channel">The channel.</param>
internal sealed class ChannelSearch(ChunkStore store, ushort channel)
{
    // Each damaged place is kept with its exception. After this many, the search fails.
    private const int MostDamaged = 1000;

    // The places that may hold messages of the channel.
    private readonly int[] _places =
        [.. Enumerable.Range(0, store.Places.Count).Where(place => store.Places[place].MayHold(channel))];

    // By place: the first message's key; null if it has no message of the channel.
    private readonly Dictionary<(MessageKey Key, int Place), ulong?> _first = [];

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
            int? found = null;
            if ((before >= 0 && !Try(_places[before], place => found = FindIn(place, key, wanted)))
                || (found is null && behind < _places.Length && !Try(_places[behind], place => FindIn(place, key, wanted))))
            {
                continue;
            }

            if (found is { } message)
            {
                return (_places[before], message);
            }

            // What is damaged between the two may hold it, but where the one behind begins with it.
            var hidden = _places[(before + 1)..behind].FirstOrDefault(_damaged.ContainsKey, -1);
            return hidden >= 0 && (behind == _places.Length || First(key, _places[behind]) != wanted)
                ? throw _damaged[hidden]
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
            while (at < high && First(key, _places[at]) is null)
            {
                at++;
            }

            if (at == high)
            {
                high = middle;
            }
            else if (First(key, _places[at]) < wanted)
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

    // False where the place is damaged, which is known from then on.
    private bool Try(int place, Action<int> read)
    {
        try
        {
            read(place);
            return true;
        }
        catch (McapException damage) when (_damaged.Count < MostDamaged)
        {
            _damaged[place] = damage;
            return false;
        }
    }

    private int? FindIn(int place, MessageKey key, ulong wanted) => store.With(place, chunk =>
    {
        var messages = chunk.Of(channel);
        var (low, high) = (0, messages.Length);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (Key(key, place, chunk, messages[middle]) < wanted)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low < messages.Length ? low : (int?)null;
    });

    private ulong? First(MessageKey key, int place)
    {
        if (_damaged.ContainsKey(place))
        {
            return null;
        }

        if (!_first.TryGetValue((key, place), out var first)
            && Try(place, at => first = First(key, at, store.Peek(at)) ?? store.With(at, chunk => First(key, at, chunk))))
        {
            _first[(key, place)] = first;
        }

        return first;
    }

    private ulong? First(MessageKey key, int place, LoadedChunk? chunk) =>
        chunk is not null && chunk.Of(channel) is [var message, ..] ? Key(key, place, chunk, message) : null;

    private ulong Key(MessageKey key, int place, LoadedChunk chunk, in MessagePlace message) =>
        key.Of(chunk, message, store.Places[place].Offset);
}
