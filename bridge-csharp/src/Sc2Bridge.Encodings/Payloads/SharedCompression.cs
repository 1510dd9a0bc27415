using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// What the compressing subscribers of a bridge share, whatever their transports: a group stream for each perspective
/// and payload kind, and contexts for frames that are compressed alone. Each is freed with the last subscriber that
/// needs it. Thread-safe.
/// </summary>
public sealed class SharedCompression
{
    // The context, with its window, and two groups of blocks: most of it is outside the garbage-collected heap.
    private const long StreamMemory = 4 << 20;

    private readonly Lock _lock = new();
    private readonly Dictionary<Key, Entry> _streams = [];
    private readonly MemoryLedger? _memory;

    /// <param name="memory">Charged with each stream; when much less is held, kept texts go too. Null: nothing is.</param>
    public SharedCompression(MemoryLedger? memory = null)
    {
        _memory = memory;
        if (memory is not null)
        {
            memory.Trimming += TextEncoding.Trim;
        }
    }

    /// <summary>Contexts for frames that are compressed alone.</summary>
    internal ZstdPool Pool { get; } = new();

    /// <summary>Streams that are alive, each with a compressing context.</summary>
    public int Streams
    {
        get
        {
            lock (_lock)
            {
                return _streams.Count;
            }
        }
    }

    /// <summary>Joins the stream that a frame belongs to.</summary>
    internal GroupStream Join(in FrameHeader frame, PayloadKind content)
    {
        var key = new Key(frame.MatchId, frame.Perspective, content);
        lock (_lock)
        {
            if (!_streams.TryGetValue(key, out var entry))
            {
                _streams[key] = entry = new Entry(key, new GroupStream(content));
                _memory?.Add(MemoryAccount.Encodings, StreamMemory);
            }

            entry.Subscribers++;
            return entry.Stream;
        }
    }

    /// <summary>Leaves it.</summary>
    internal void Leave(GroupStream stream)
    {
        lock (_lock)
        {
            var entry = _streams.Values.First(entry => entry.Stream == stream);
            if (--entry.Subscribers > 0)
            {
                return;
            }

            _streams.Remove(entry.Key);
        }

        stream.Dispose();
        _memory?.Add(MemoryAccount.Encodings, -StreamMemory);
    }

    private readonly record struct Key(string MatchId, uint Perspective, PayloadKind Content);

    private sealed class Entry(Key key, GroupStream stream)
    {
        public Key Key { get; } = key;

        public GroupStream Stream { get; } = stream;

        public int Subscribers { get; set; }
    }
}
