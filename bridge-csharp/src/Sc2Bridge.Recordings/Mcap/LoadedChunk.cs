using System.Runtime.InteropServices;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>A message where it stands in a chunk's records.</summary>
/// <param name="Sequence">The channel's count.</param>
/// <param name="LogTime">Nanoseconds of Unix time.</param>
/// <param name="PublishTime">The same.</param>
/// <param name="Start">Of its data.</param>
/// <param name="Length">Bytes of its data.</param>
internal readonly record struct MessagePlace(uint Sequence, ulong LogTime, ulong PublishTime, int Start, int Length)
{
    /// <summary>Where its record begins.</summary>
    public int RecordStart => Start - McapFormat.MessageHeadLength - McapFormat.RecordHeadLength;
}

/// <summary>
/// The records of one place, decompressed and checked, with their messages by channel. Its memory is used again for
/// other places.
/// </summary>
internal sealed class LoadedChunk
{
    private readonly Dictionary<ushort, List<MessagePlace>> _messages = [];
    private byte[] _records = [];

    /// <summary>Which of the file's places; negative where none is loaded.</summary>
    public int Place { get; set; } = -1;

    /// <summary>How many use it.</summary>
    public int HeldPublications { get; set; }

    /// <summary>Bytes of all records.</summary>
    public int Length { get; private set; }

    /// <summary>All records.</summary>
    public ReadOnlyMemory<byte> Records => _records.AsMemory(0, Length);

    /// <summary>The channels of its messages.</summary>
    public IEnumerable<ushort> Channels =>
        _messages.Where(channel => channel.Value.Count > 0).Select(channel => channel.Key);

    /// <summary>The messages of a channel in their order.</summary>
    public ReadOnlySpan<MessagePlace> Of(ushort channel) =>
        _messages.TryGetValue(channel, out var messages) ? CollectionsMarshal.AsSpan(messages) : [];

    /// <summary>
    /// The earliest and the latest log time of its messages, 0 where it has none, and how many they are.
    /// </summary>
    public (ulong Start, ulong End, ulong Count) Times()
    {
        var (start, end, count) = (ulong.MaxValue, 0UL, 0UL);
        foreach (var messages in _messages.Values)
        {
            foreach (ref readonly var message in CollectionsMarshal.AsSpan(messages))
            {
                start = Math.Min(start, message.LogTime);
                end = Math.Max(end, message.LogTime);
                count++;
            }
        }

        return (count == 0 ? 0 : start, end, count);
    }

    /// <summary>All messages in their order, each with its channel.</summary>
    public IEnumerable<(ushort Channel, MessagePlace Message)> InOrder() => _messages
        .SelectMany(channel => channel.Value.Select(message => (channel.Key, message)))
        .OrderBy(message => message.message.Start);

    /// <summary>A message's data.</summary>
    public ReadOnlyMemory<byte> DataOf(in MessagePlace message) => _records.AsMemory(message.Start, message.Length);

    /// <summary>Forgets everything and makes room.</summary>
    /// <param name="length">Bytes of the records to come.</param>
    /// <returns>Where they go; what it holds is anything.</returns>
    public Span<byte> Begin(int length)
    {
        Place = -1;
        foreach (var messages in _messages.Values)
        {
            messages.Clear();
        }

        ChunkMemory.Reserve(ref _records, length);

        Length = length;
        return _records.AsSpan(0, length);
    }

    /// <summary>Tells of a message that was found in the records.</summary>
    public void Add(ushort channel, in MessagePlace message)
    {
        ref var messages = ref CollectionsMarshal.GetValueRefOrAddDefault(_messages, channel, out _);
        (messages ??= []).Add(message);
    }
}
