using System.Runtime.InteropServices;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>A message's position in a chunk's records, and the fields of its head.</summary>
/// <param name="Sequence">The sequence number in the channel.</param>
/// <param name="LogTime">Nanoseconds of Unix time.</param>
/// <param name="PublishTime">Nanoseconds of Unix time.</param>
/// <param name="RecordStart">The offset of the record.</param>
/// <param name="Length">The size of the data.</param>
internal readonly record struct MessagePosition(
    uint Sequence, ulong LogTime, ulong PublishTime, int RecordStart, int Length)
{
    /// <summary>The offset of the data.</summary>
    public int Start => RecordStart + McapFormat.RecordHeadLength + McapFormat.MessageHeadLength;

    /// <summary>Reads the head of a message. The records must have been checked.</summary>
    /// <param name="records">A chunk's records.</param>
    /// <param name="start">The offset of the message's record.</param>
    public static (ushort Channel, MessagePosition Message) Read(ReadOnlySpan<byte> records, int start)
    {
        var record = records[start..];
        var length = (int)RecordHead.Read(record).ContentLength;
        var head = RecordReader.MessageHead(
            new RecordFields(record.Slice(McapFormat.RecordHeadLength, McapFormat.MessageHeadLength), 0));
        return (head.ChannelId, new MessagePosition(
            head.Sequence, head.LogTime, head.PublishTime, start, length - McapFormat.MessageHeadLength));
    }
}

/// <summary>The messages of one channel in a chunk, in order. Each message is read on demand.</summary>
internal readonly ref struct ChunkMessages(ReadOnlySpan<byte> records, ReadOnlySpan<int> starts)
{
    private readonly ReadOnlySpan<byte> _records = records;
    private readonly ReadOnlySpan<int> _starts = starts;

    public int Length => _starts.Length;

    public MessagePosition this[int index] => MessagePosition.Read(_records, _starts[index]).Message;

    public Enumerator GetEnumerator() => new(this);

    public ref struct Enumerator(ChunkMessages messages)
    {
        private readonly ChunkMessages _messages = messages;
        private int _index = -1;

        public readonly MessagePosition Current => _messages[_index];

        public bool MoveNext() => ++_index < _messages.Length;
    }
}

/// <summary>
/// The decompressed and checked records of one region, with their messages by channel. The memory is reused for other regions.
/// </summary>
internal sealed class LoadedChunk
{
    // The offsets of the messages' records. The offsets take little memory: four bytes each, for records of at least 31 bytes.
    private readonly Dictionary<ushort, List<int>> _starts = [];
    private byte[] _records = [];

    /// <summary>The index of the loaded region; negative if none is loaded.</summary>
    public int Region { get; set; } = -1;

    /// <summary>The reference count.</summary>
    public int References { get; set; }

    /// <summary>The size of all records.</summary>
    public int Length { get; private set; }

    /// <summary>The size of the memory for records.</summary>
    public int Capacity => _records.Length;

    public ReadOnlyMemory<byte> Records => _records.AsMemory(0, Length);

    /// <summary>The channels that have messages.</summary>
    public IEnumerable<ushort> Channels =>
        _starts.Where(channel => channel.Value.Count > 0).Select(channel => channel.Key);

    /// <summary>The messages of a channel, in order.</summary>
    public ChunkMessages MessagesOf(ushort channel) =>
        new(_records, _starts.TryGetValue(channel, out var starts) ? CollectionsMarshal.AsSpan(starts) : []);

    /// <summary>
    /// The earliest and the latest log time of the messages (0 if there are no messages), and their number.
    /// </summary>
    public (ulong Start, ulong End, ulong Count) TimesAndCount()
    {
        var (start, end, count) = (ulong.MaxValue, 0UL, 0UL);
        foreach (var (_, message) in InOrder())
        {
            start = Math.Min(start, message.LogTime);
            end = Math.Max(end, message.LogTime);
            count++;
        }

        return (count == 0 ? 0 : start, end, count);
    }

    /// <summary>All messages with their channels, in order.</summary>
    public IEnumerable<(ushort Channel, MessagePosition Message)> InOrder()
    {
        for (var at = 0; at < Length;)
        {
            var head = RecordHead.Read(_records.AsSpan(at));
            if (head.Opcode == Opcode.Message)
            {
                yield return MessagePosition.Read(_records, at);
            }

            at += McapFormat.RecordHeadLength + (int)head.ContentLength;
        }
    }

    public ReadOnlyMemory<byte> DataOf(in MessagePosition message) => _records.AsMemory(message.Start, message.Length);

    /// <summary>Removes all records and messages, and reserves memory for new records.</summary>
    /// <param name="length">The size of the new records.</param>
    /// <returns>The memory for the records. It is not cleared.</returns>
    public Span<byte> Begin(int length)
    {
        Region = -1;

        // The next chunk reuses the lists. A list is freed if its capacity is more than four times the number of its items.
        foreach (var (channel, starts) in _starts)
        {
            if (starts.Count < starts.Capacity / 4)
            {
                _starts.Remove(channel);
            }

            starts.Clear();
        }

        ChunkMemory.Reserve(ref _records, length);

        Length = length;
        return _records.AsSpan(0, length);
    }

    /// <summary>Sets a smaller size of all records, if the region has fewer bytes than expected.</summary>
    public void Truncate(int length) => Length = length;

    /// <summary>Adds the position of a message.</summary>
    public void Add(ushort channel, int recordStart)
    {
        ref var starts = ref CollectionsMarshal.GetValueRefOrAddDefault(_starts, channel, out _);
        (starts ??= []).Add(recordStart);
    }
}
