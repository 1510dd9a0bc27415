namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Finds messages of one channel without an index. A binary search over the first messages of the file's regions finds the chunk, and a
/// second binary search finds the message in the chunk. The key of each region's first message is cached. Not thread-safe.
/// </summary>
/// <remarks>
/// The beginnings of chunks are read without a check. But the chunks at which the search ends are loaded and checked. If such a
/// chunk is damaged, the search is repeated without that chunk. So damage only affects searches for messages in a damaged chunk.
/// </remarks>
/// <param name="store">The file's chunks.</param>
/// <param name="channel">The channel.</param>
internal sealed class ChannelSearch(ChunkStore store, ushort channel)
{
    // Each damaged region is stored with its exception. The search fails if there are more damaged regions than this number.
    private const int MostDamagedRegions = 1000;

    // The regions that may contain messages of the channel.
    private readonly int[] _regions =
        [.. Enumerable.Range(0, store.Regions.Count).Where(region => store.Regions[region].MayContain(channel))];

    // By kind of key and region: the key of the first message; null if the region has no message of the channel.
    private readonly Dictionary<(MessageKey Key, int Region), ulong?> _firstKeys = [];

    // By region: the damage.
    private readonly Dictionary<int, McapException> _damaged = [];

    /// <summary>Finds the first message whose key is not less than the given one.</summary>
    /// <returns>
    /// The region, and the message's index among the channel's messages in the region. (Regions.Count, 0) if no message is found.
    /// </returns>
    /// <exception cref="McapException">The message is, or may be, in a damaged chunk.</exception>
    public (int Region, int Message) Find(MessageKey key, ulong wanted)
    {
        while (true)
        {
            var (before, after) = RegionsAround(key, wanted);
            int? found = null;
            if ((before >= 0 && !Try(_regions[before], region => found = FindIn(region, key, wanted)))
                || (found is null && after < _regions.Length && !Try(_regions[after], region => FindIn(region, key, wanted))))
            {
                continue;
            }

            if (found is { } message)
            {
                return (_regions[before], message);
            }

            // A damaged region between `before` and `after` may contain the message, unless `after` begins with exactly the wanted key.
            var damagedBetween = _regions[(before + 1)..after].FirstOrDefault(_damaged.ContainsKey, -1);
            return damagedBetween >= 0 && (after == _regions.Length || FirstKey(key, _regions[after]) != wanted)
                ? throw _damaged[damagedBetween]
                : (after < _regions.Length ? _regions[after] : store.Regions.Count, 0);
        }
    }

    // Before: the last region that begins with a smaller key; negative if no region does. After: the first region that begins with the
    // wanted key or a larger key; the number of regions if no region does.
    private (int Before, int After) RegionsAround(MessageKey key, ulong wanted)
    {
        var (before, low, high, after) = (-1, 0, _regions.Length, _regions.Length);
        while (low < high)
        {
            // Damaged regions, and regions without messages of the channel, are skipped.
            var middle = (low + high) / 2;
            var at = middle;
            while (at < high && FirstKey(key, _regions[at]) is null)
            {
                at++;
            }

            if (at == high)
            {
                high = middle;
            }
            else if (FirstKey(key, _regions[at]) < wanted)
            {
                (before, low) = (at, at + 1);
            }
            else
            {
                (after, high) = (at, middle);
            }
        }

        return (before, after);
    }

    // Returns false if the region is damaged, and stores the damage.
    private bool Try(int region, Action<int> read)
    {
        try
        {
            read(region);
            return true;
        }
        catch (McapException damage) when (_damaged.Count < MostDamagedRegions)
        {
            _damaged[region] = damage;
            return false;
        }
    }

    private int? FindIn(int region, MessageKey key, ulong wanted) => store.ReadFrom(region, chunk =>
    {
        var messages = chunk.MessagesOf(channel);
        var (low, high) = (0, messages.Length);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (KeyOf(key, region, chunk, messages[middle]) < wanted)
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

    private ulong? FirstKey(MessageKey key, int region)
    {
        if (_damaged.ContainsKey(region))
        {
            return null;
        }

        if (!_firstKeys.TryGetValue((key, region), out var first)
            && Try(region, at => first = FirstKey(key, at, store.Peek(at)) ?? store.ReadFrom(at, chunk => FirstKey(key, at, chunk))))
        {
            _firstKeys[(key, region)] = first;
        }

        return first;
    }

    private ulong? FirstKey(MessageKey key, int region, LoadedChunk? chunk) =>
        chunk is not null && chunk.MessagesOf(channel) is [var message, ..] ? KeyOf(key, region, chunk, message) : null;

    private ulong KeyOf(MessageKey key, int region, LoadedChunk chunk, in MessagePosition message) =>
        key.Of(chunk, message, store.Regions[region].Offset);
}
