namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Counts the messages of one channel in each region of a file. The counts come from the message indexes if the summary
/// lists their positions, otherwise from the chunks themselves. Counting stops at the first damage. Not thread-safe.
/// </summary>
/// <param name="bytes">The file.</param>
/// <param name="store">The file's chunks.</param>
/// <param name="channel">The channel.</param>
internal sealed class ChannelCounts(IRecordingBytes bytes, ChunkStore store, ushort channel)
{
    private const int EntryLength = 2 * sizeof(ulong);

    // Element i is the number of messages in the regions before region i. The last element is the total.
    private List<long>? _countsBefore;
    private McapException? _damage;

    /// <summary>The number of messages, up to the first region that could not be counted.</summary>
    public long Total => CountsBefore()[^1];

    /// <summary>Finds a message by its index.</summary>
    /// <param name="index">The index in the whole file, from 0.</param>
    /// <returns>
    /// The region, and the message's index among the channel's messages in the region. (Regions.Count, 0) if the message does not exist.
    /// </returns>
    /// <exception cref="McapException">The file is damaged.</exception>
    public (int Region, int Message) Find(long index)
    {
        var before = CountsBefore();
        if (index >= Total)
        {
            return _damage is null ? (store.Regions.Count, 0) : throw _damage;
        }

        // The search may find a region without messages: its count equals the count of the next region. Skip such regions.
        var found = before.BinarySearch(index);
        var region = found < 0 ? ~found - 1 : found;
        while (before[region + 1] == before[region])
        {
            region++;
        }

        CheckCount(region, before[region + 1] - before[region]);
        return (region, (int)(index - before[region]));
    }

    private void CheckCount(int region, long count)
    {
        var messages = store.ReadFrom(region, chunk => chunk.MessagesOf(channel).Length);
        if (messages != count)
        {
            throw new McapException(
                $"a chunk has {messages} messages of channel {channel}, but its index has {count}",
                store.Regions[region].Offset);
        }
    }

    private List<long> CountsBefore()
    {
        if (_countsBefore is null)
        {
            _countsBefore = [0];
            try
            {
                for (var region = 0; region < store.Regions.Count; region++)
                {
                    _countsBefore.Add(_countsBefore[^1] + Count(region));
                }
            }
            catch (McapException damage)
            {
                _damage = damage;
            }
        }

        return _countsBefore;
    }

    private long Count(int region)
    {
        if (!store.Regions[region].MayContain(channel))
        {
            return 0;
        }

        return store.Regions[region].Index?.MessageIndexOffsets is { Count: > 0 } offsets
            ? ReadCount((long)offsets[channel])
            : store.ReadFrom(region, chunk => chunk.MessagesOf(channel).Length);
    }

    private long ReadCount(long offset)
    {
        Span<byte> begin = stackalloc byte[McapFormat.RecordHeadLength + sizeof(ushort) + sizeof(uint)];
        if (offset < 0 || offset > bytes.Length - begin.Length)
        {
            throw new McapException("the summary lists a message index after the end of the file", bytes.Length);
        }

        bytes.Read(offset, begin);
        var head = RecordHead.Read(begin);
        var fields = new RecordFields(begin[McapFormat.RecordHeadLength..], offset + McapFormat.RecordHeadLength);
        var (indexedChannel, length) = (fields.UInt16(), fields.UInt32());
        return head.Opcode == Opcode.MessageIndex && indexedChannel == channel && length % EntryLength == 0
            && head.ContentLength >= (ulong)fields.Position + length
            ? length / EntryLength
            : throw new McapException("the message index that the summary lists is not here", offset);
    }
}
