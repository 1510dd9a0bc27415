using System.Runtime.ExceptionServices;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// The groups of one perspective and payload kind, shared by their subscribers: a frame's encoding is its block. A
/// frame gets its place in the stream when it is published. It is compressed when the first subscriber takes it, after
/// earlier frames that are still held: in order, once, and only if a subscriber takes it. For a reader that waits this
/// happens on the publisher's thread, without a hop; for a busy one, later on its own.
/// </summary>
/// <remarks>
/// Frames are not held here: they wait in subscribers' queues, which are bounded. A frame that no queue holds any more
/// loses its place.
/// </remarks>
internal sealed class GroupStream(PayloadKind content) : IFrameEncoding<GroupBlock>, IDisposable
{
    // Compressed in some 2 ms.
    private const int FewFrames = 16;

    // The first lock is held briefly; the second while a frame is compressed.
    private readonly Lock _lock = new();
    private readonly Lock _turn = new();

    // In the order of publication: frames without a block yet, and frames whose block was made for a later one.
    private readonly List<PlacedFrame> _placed = [];
    private ObservationFrame? _newest;
    private GroupCompressor? _compressor;
    private bool _disposed;

    /// <summary>Who shares it; for <see cref="SharedCompression"/> alone.</summary>
    public int Subscribers { get; set; }

    /// <summary>Whether a frame that is published now would have to wait until many earlier ones are compressed.</summary>
    public bool IsFarBehind
    {
        get
        {
            lock (_lock)
            {
                // Frames without a block are the last ones.
                return _placed.Count > FewFrames && !_placed[^FewFrames].IsDone;
            }
        }
    }

    /// <summary>Gives a frame that is being published its place, where it has none yet.</summary>
    public void Place(ObservationFrame frame)
    {
        lock (_lock)
        {
            if (frame != _newest)
            {
                _newest = frame;
                _placed.RemoveAll(static placed => placed.IsGone());
                _placed.Add(new PlacedFrame(frame));
            }
        }
    }

    /// <inheritdoc/>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    public GroupBlock Encode(ObservationFrame frame)
    {
        lock (_turn)
        {
            PlacedFrame next;
            do
            {
                next = TakeFirst(frame);
                Compress(next);
                next.Frame.Release();
            }
            while (next.Frame != frame);

            lock (_lock)
            {
                _placed.Remove(next);
            }

            next.Failure?.Throw();
            return next.Block!;
        }
    }

    /// <summary>The last subscriber left: frees the compressor's memory.</summary>
    public void Dispose()
    {
        lock (_turn)
        {
            _disposed = true;
            _compressor?.Dispose();
            lock (_lock)
            {
                _placed.ForEach(static placed => placed.Block?.Release());
                _placed.Clear();
            }
        }
    }

    // The first frame up to the given one that is still held and not compressed yet; held for the caller.
    private PlacedFrame TakeFirst(ObservationFrame last)
    {
        lock (_lock)
        {
            foreach (var placed in _placed)
            {
                if ((placed.Frame == last || !placed.IsDone) && placed.Frame.TryRetain())
                {
                    return placed;
                }
            }
        }

        throw new InvalidOperationException($"The frame of step {last.Header.Step} has no place in the stream.");
    }

    private void Compress(PlacedFrame next)
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

            // Made here, so that a failed allocation is this frame's failure and not the publisher's.
            _compressor ??= new GroupCompressor();
            using var bytes = content.BytesOf(next.Frame);
            block = _compressor.Add(bytes.Span);
            BlockMessage.WriteShared(block, next.Frame.Header, content);
            next.Block = block;
            next.Frame.Made(
                content.IsWholeObservation ? EncodingKind.GroupZstd : EncodingKind.OtherGroupZstd,
                block.Data.Length, started);
        }
#pragma warning disable CA1031 // Whatever it is, it is thrown to takers of this frame only.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            block?.Release();
            next.Failure = ExceptionDispatchInfo.Capture(failure);
        }
    }

    // A frame in its place, not held; its block is, until the frame takes it or is gone.
    private sealed class PlacedFrame(ObservationFrame frame)
    {
        public ObservationFrame Frame => frame;

        public GroupBlock? Block { get; set; }

        public ExceptionDispatchInfo? Failure { get; set; }

        public bool IsDone => Block is not null || Failure is not null;

        public bool IsGone()
        {
            if (frame.IsHeld)
            {
                return false;
            }

            Block?.Release();
            return true;
        }
    }
}
