using System.Runtime.InteropServices;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>A message where it stands in a chunk's records.</summary>
/// <param name="Sequence">The channel's count.</param>
/// <param name="LogTime">Nanoseconds of Unix time.</param>
/// <param name="PublishTime">The same.</param>
/// <param name="RecordStart">The offset of its record.</param>
/// <param name="Length">Bytes of its data.</param>
internal readonly record struct MessagePlace(
    uint Sequence, ulong LogTime, ulong PublishTime, int RecordStart, int Length)
{
    /// <summary>The offset of its data.</summary>
    public int Start => RecordStart + McapFormat.RecordHeadLength + McapFormat.MessageHeadLength;

    /// <summary>Reads the head of a message that was checked before.</summary>
    /// <param name="records">A chunk's records.</param>
    /// <param name="start">Where the message's record begins.</param>
    public static (ushort Channel, MessagePlace Message) Read(ReadOnlySpan<byte> records, int start)
    {
        var record = records[start..];
        var length = (int)RecordHead.Read(record).ContentLength;
        var head = RecordReader.MessageHead(
            new RecordFields(record.Slice(McapFormat.RecordHeadLength, McapFormat.MessageHeadLength), 0));
        return (head.ChannelId, new MessagePlace(
            head.Sequence, head.LogTime, head.PublishTime, start, length - McapFormat.MessageHeadLength));
    }
}

/// <summary>The messages of one channel in a chunk, in their order. Each is read on demand.</summary>
internal readonly ref struct ChunkMessages(ReadOnlySpan<byte> records, ReadOnlySpan<int> starts)
{
    private readonly ReadOnlySpan<byte> _records = records;
    private readonly ReadOnlySpan<int> _starts = starts;

    public int Length => _starts.Length;

    public MessagePlace this[int index] => MessagePlace.Read(_records, _starts[index]).Message;

    public Enumerator GetEnumerator() => new(this);

    public ref struct Enumerator(ChunkMessages messages)
    {
        private readonly ChunkMessages _messages = messages;
        private int _index = -1;

        public readonly MessagePlace Current => _messages[_index];

        public bool MoveNext() => ++_index < _messages.Length;
    }
}

/// <summary>
/// The records of one place, decompressed and checked, with their messages by channel. Its memory is used again for
/// other places.
/// </summary>
internal sealed class LoadedChunk
{
    // Where each message's record begins. A message takes four bytes here, as the shortest takes 31 in the records.
    private readonly Dictionary<ushort, List<int>> _starts = [];
    private byte[] _records = [];

    /// <summary>Which of the file's places; negative where none is loaded.</summary>
    public int Place { get; set; } = -1;

    /// <summary>How many use it.</summary>
    public int HeldPublications { get; set; }

    /// <summary>Bytes of all records.</summary>
    public int Length { get; private set; }

    /// <summary>Bytes of memory for records.</summary>
    public int Capacity => _records.Length;

    public ReadOnlyMemory<byte> Records => _records.AsMemory(0, Length);

    /// <summary>The channels of its messages.</summary>
    public IEnumerable<ushort> Channels =>
        _starts.Where(channel => channel.Value.Count > 0).Select(channel => channel.Key);

    /// <summary>The messages of a channel in their order.</summary>
    public ChunkMessages Of(ushort channel) =>
        new(_records, _starts.TryGetValue(channel, out var starts) ? CollectionsMarshal.AsSpan(starts) : []);

    /// <summary>
    /// The earliest and the latest log time of its messages, 0 where it has none, and how many they are.
    /// </summary>
    public (ulong Start, ulong End, ulong Count) Times()
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

    /// <summary>All messages in their order, each with its channel.</summary>
    public IEnumerable<(ushort Channel, MessagePlace Message)> InOrder()
    {
        for (var at = 0; at < Length;)
        {
            var head = RecordHead.Read(_records.AsSpan(at));
            if (head.Opcode == Opcode.Message)
            {
                yield return MessagePlace.Read(_records, at);
            }

            at += McapFormat.RecordHeadLength + (int)head.ContentLength;
        }
    }

    /// <summary>A message's data.</summary>
    public ReadOnlyMemory<byte> DataOf(in MessagePlace message) => _records.AsMemory(message.Start, message.Length);

    /// <summary>Forgets everything and makes room.</summary>
    /// <param name="length">Bytes of the records to come.</param>
    /// <returns>Where they go; what it holds is anything.</returns>
    public Span<byte> Begin(int length)
    {
        Place = -1;

        // The next chunk reuses the lists. A list with more than four times the room that it needed is freed.
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

    /// <summary>There are fewer bytes of records than room was made for.</summary>
    public void Truncate(int length) => Length = length;

    /// <summary>Adds a message that was found in the records.</summary>
    public void Add(ushort channel, int recordStart)
    {
        ref var starts = ref CollectionsMarshal.GetValueRefOrAddDefault(_starts, channel, out _);
        (starts ??= []).Add(recordStart);
    }
}
