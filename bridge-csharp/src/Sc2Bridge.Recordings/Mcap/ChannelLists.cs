namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Lists by channel that are filled chunk by chunk.</summary>
internal static class ChannelLists
{
    // Items that stay allocated whatever the chunks are. Ordinary chunks have some hundred messages.
    private const int MostKept = 1 << 16;

    /// <summary>
    /// Empties the lists and keeps their memory for the next chunk. Long lists are kept for channels of the last chunk only:
    /// each chunk of a file may have many messages of another channel.
    /// </summary>
    public static void Clear<T>(IDictionary<ushort, List<T>> lists)
    {
        if (lists.Values.Sum(list => (long)list.Capacity) > MostKept)
        {
            foreach (var unused in lists.Where(list => list.Value.Count == 0).ToList())
            {
                lists.Remove(unused.Key);
            }
        }

        foreach (var list in lists.Values)
        {
            list.Clear();
        }
    }
}
