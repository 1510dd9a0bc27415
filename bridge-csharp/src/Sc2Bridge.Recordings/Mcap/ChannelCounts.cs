namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Counts the messages of one channel, place by place: from the message indexes where the summary tells where they are,
/// and else from the chunks, up to the first that is damaged. Not thread-safe.
/// </summary>
/// <param name="bytes">The file.</param>
/// <param name="store">Its chunks.</param>
/// <param name="channel">The channel.</param>
internal sealed class ChannelCounts(IRecordingBytes bytes, ChunkStore store, ushort channel)
{
    private const int EntryLength = 2 * sizeof(ulong);

    // By place: messages in those before it; behind the last that could be counted, all.
    private List<long>? _before;
    private McapException? _damage;

    /// <summary>All messages, or those before the first place that could not be counted.</summary>
    public long Total => Before()[^1];

    /// <summary>Where a message stands.</summary>
    /// <param name="index">Counts from 0 over the whole file.</param>
    /// <returns>
    /// The place, and which of the channel's messages there; the count of places where there is none.
    /// </returns>
    /// <exception cref="McapException">The file is damaged.</exception>
    public (int Place, int Message) Find(long index)
    {
        var before = Before();
        if (index >= Total)
        {
            return _damage is null ? (store.Places.Count, 0) : throw _damage;
        }

        // Of places without messages the last has the count of the one behind it.
        var found = before.BinarySearch(index);
        var place = found < 0 ? ~found - 1 : found;
        while (before[place + 1] == before[place])
        {
            place++;
        }

        Check(place, before[place + 1] - before[place]);
        return (place, (int)(index - before[place]));
    }

    private void Check(int place, long count)
    {
        var messages = store.With(place, chunk => chunk.Of(channel).Length);
        if (messages != count)
        {
            throw new McapException(
                $"a chunk holds {messages} messages of channel {channel}, and its index {count}",
                store.Places[place].Offset);
        }
    }

    private List<long> Before()
    {
        if (_before is null)
        {
            _before = [0];
            try
            {
                for (var place = 0; place < store.Places.Count; place++)
                {
                    _before.Add(_before[^1] + Count(place));
                }
            }
            catch (McapException damage)
            {
                _damage = damage;
            }
        }

        return _before;
    }

    private long Count(int place)
    {
        if (!store.Places[place].MayHold(channel))
        {
            return 0;
        }

        return store.Places[place].Index?.MessageIndexOffsets is { Count: > 0 } offsets
            ? ReadCount((long)offsets[channel])
            : store.With(place, chunk => chunk.Of(channel).Length);
    }

    private long ReadCount(long offset)
    {
        Span<byte> begin = stackalloc byte[McapFormat.RecordHeadLength + sizeof(ushort) + sizeof(uint)];
        if (offset < 0 || offset > bytes.Length - begin.Length)
        {
            throw new McapException("the summary has a message index behind the file's end", bytes.Length);
        }

        bytes.Read(offset, begin);
        var head = RecordHead.Read(begin);
        var fields = new RecordFields(begin[McapFormat.RecordHeadLength..], offset + McapFormat.RecordHeadLength);
        var (of, length) = (fields.UInt16(), fields.UInt32());
        return head.Opcode == Opcode.MessageIndex && of == channel && length % EntryLength == 0
            && head.ContentLength >= (ulong)fields.Position + length
            ? length / EntryLength
            : throw new McapException("here is not the message index that the summary tells of", offset);
    }
}
