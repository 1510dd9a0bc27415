using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// The resources that all subscribers with compression share, on all transports of a bridge: a group stream for each perspective and
/// payload kind, and contexts for frames that are compressed alone. A stream is freed when its last subscriber leaves. Thread-safe.
/// </summary>
public sealed class SharedCompression
{
    // The memory of a stream: the compression context with its window, and two groups of blocks. Most of it is unmanaged memory.
    private const long StreamBytes = 4 << 20;

    private readonly Lock _lock = new();
    private readonly Dictionary<(string Match, uint Perspective, PayloadKind Content), GroupStream> _streams = [];
    private readonly MemoryLedger? _memory;

    /// <param name="memory">Counts each stream's memory. When the ledger trims memory, cached texts are freed too. Null for no accounting.</param>
    public SharedCompression(MemoryLedger? memory = null)
    {
        _memory = memory;
        if (memory is not null)
        {
            memory.Trimming += TextEncoding.Trim;
        }
    }

    /// <summary>Compression contexts for frames that are compressed alone.</summary>
    internal ZstdPool Pool { get; } = new();

    /// <summary>The number of streams that new subscribers can join. Each stream has a compression context.</summary>
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
    /// Joins the stream for a frame. If many frames of the stream are not compressed yet, a new stream is started, because otherwise
    /// the new subscriber and the match would wait for their compression.
    /// </summary>
    internal GroupStream Join(in FrameHeader frame, PayloadKind content)
    {
        var key = (frame.MatchId, frame.Perspective, content);
        lock (_lock)
        {
            if (!_streams.TryGetValue(key, out var stream) || stream.IsFarBehind)
            {
                _streams[key] = stream = new GroupStream(content);
                _memory?.Add(MemoryAccount.Encodings, StreamBytes);
            }

            stream.Subscribers++;
            return stream;
        }
    }

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
        _memory?.Add(MemoryAccount.Encodings, -StreamBytes);
    }
}
