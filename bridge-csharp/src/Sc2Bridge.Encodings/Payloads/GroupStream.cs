using System.Runtime.ExceptionServices;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// The blocks of group zstd for one perspective and payload kind. All subscribers of this kind and perspective share them. A frame gets its
/// position in the stream when it is published. The frame is compressed to a block when the first subscriber takes it, after all earlier frames
/// that still have references. So frames are compressed in order, once, and only on demand. If a subscriber is waiting for the frame, the thread
/// that publishes the frame compresses it, which saves a thread switch. Otherwise a subscriber's thread compresses it later.
/// </summary>
/// <remarks>
/// The stream holds no references to frames. The frames wait in the subscribers' queues, which have limits. A frame that no queue
/// references any more loses its position.
/// </remarks>
internal sealed class GroupStream(PayloadKind content) : IFrameEncoding<GroupBlock>, IDisposable
{
    // Compressing this many frames takes about 2 ms.
    private const int MostPendingFrames = 16;

    // _lock is held for a short time only. _compressing is held while a frame is compressed.
    private readonly Lock _lock = new();
    private readonly Lock _compressing = new();

    // In the order of publication: frames without a block, and frames whose block was made early, because a later frame was taken first.
    private readonly List<StreamFrame> _frames = [];
    private ObservationFrame? _newest;
    private GroupCompressor? _compressor;
    private bool _disposed;

    /// <summary>The number of subscribers. Only <see cref="SharedCompression"/> changes it.</summary>
    public int Subscribers { get; set; }

    /// <summary>Whether many earlier frames must be compressed before a frame that is published now.</summary>
    public bool IsFarBehind
    {
        get
        {
            lock (_lock)
            {
                // Frames without a block are at the end of the list.
                return _frames.Count > MostPendingFrames && !_frames[^MostPendingFrames].IsDone;
            }
        }
    }

    /// <summary>Adds a frame to the stream when it is published. Further calls for the same frame do nothing.</summary>
    public void AddFrame(ObservationFrame frame)
    {
        lock (_lock)
        {
            if (frame != _newest)
            {
                _newest = frame;
                _frames.RemoveAll(static entry => entry.ReleaseIfUnused());
                _frames.Add(new StreamFrame(frame));
            }
        }
    }

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    public GroupBlock Encode(ObservationFrame frame)
    {
        lock (_compressing)
        {
            StreamFrame next;
            do
            {
                next = RetainFirst(frame);
                Compress(next);
                next.Frame.Release();
            }
            while (next.Frame != frame);

            lock (_lock)
            {
                _frames.Remove(next);
            }

            next.Failure?.Throw();
            return next.Block!;
        }
    }

    /// <summary>Frees the compressor's memory, after the last subscriber has left.</summary>
    public void Dispose()
    {
        lock (_compressing)
        {
            _disposed = true;
            _compressor?.Dispose();
            lock (_lock)
            {
                _frames.ForEach(static entry => entry.Block?.Release());
                _frames.Clear();
            }
        }
    }

    // Returns the first frame that has references but no block. If no earlier frame is found, returns the given frame. Adds a reference for the caller.
    private StreamFrame RetainFirst(ObservationFrame last)
    {
        lock (_lock)
        {
            foreach (var entry in _frames)
            {
                if ((entry.Frame == last || !entry.IsDone) && entry.Frame.TryRetain())
                {
                    return entry;
                }
            }
        }

        throw new InvalidOperationException($"The frame of step {last.Header.Step} has no position in the stream: call AddFrame first.");
    }

    private void Compress(StreamFrame next)
    {
        if (next.IsDone)
        {
            return;
        }

        GroupBlock? block = null;
        var started = MonotonicClock.NowNs;
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);

            // Created here, so that a failed allocation fails this frame and not the thread that publishes it.
            _compressor ??= new GroupCompressor();
            using var bytes = content.BytesOf(next.Frame);
            block = _compressor.Add(bytes.Span);
            BlockMessage.WriteShared(block, next.Frame.Header, content);
            next.Block = block;
            next.Frame.RecordEncoding(
                content.IsWholeObservation ? EncodingKind.GroupZstd : EncodingKind.OtherGroupZstd,
                block.Data.Length, started);
        }
#pragma warning disable CA1031 // Any exception is rethrown only to subscribers that take this frame.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            block?.Release();
            next.Failure = ExceptionDispatchInfo.Capture(failure);
        }
    }

    // A frame in the stream. This object holds no reference to the frame. The reference to the block passes to the frame, or is released.
    private sealed class StreamFrame(ObservationFrame frame)
    {
        public ObservationFrame Frame => frame;

        public GroupBlock? Block { get; set; }

        public ExceptionDispatchInfo? Failure { get; set; }

        public bool IsDone => Block is not null || Failure is not null;

        public bool ReleaseIfUnused()
        {
            if (frame.IsReferenced)
            {
                return false;
            }

            Block?.Release();
            return true;
        }
    }
}
