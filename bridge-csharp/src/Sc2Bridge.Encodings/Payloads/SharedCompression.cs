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
    private readonly Dictionary<(string Match, uint Perspective, PayloadKind Content), GroupStream> _streams = [];
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

    /// <summary>Streams that new subscribers join, each with a compressing context.</summary>
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

    /// <summary>
    /// Joins the stream that a frame belongs to. A stream whose readers leave many frames waiting is left to them: a new reader's
    /// first frame would come after all of those, and be compressed with them while the match waits.
    /// </summary>
    internal GroupStream Join(in FrameHeader frame, PayloadKind content)
    {
        var key = (frame.MatchId, frame.Perspective, content);
        lock (_lock)
        {
            if (!_streams.TryGetValue(key, out var stream) || stream.IsFarBehind)
            {
                _streams[key] = stream = new GroupStream(content);
                _memory?.Add(MemoryAccount.Encodings, StreamMemory);
            }

            stream.Subscribers++;
            return stream;
        }
    }

    /// <summary>Leaves it.</summary>
    internal void Leave(GroupStream stream)
    {
        lock (_lock)
        {
            if (--stream.Subscribers > 0)
            {
                return;
            }

            if (_streams.FirstOrDefault(pair => pair.Value == stream) is { Value: not null } joinable)
            {
                _streams.Remove(joinable.Key);
            }
        }

        stream.Dispose();
        _memory?.Add(MemoryAccount.Encodings, -StreamMemory);
    }
}
