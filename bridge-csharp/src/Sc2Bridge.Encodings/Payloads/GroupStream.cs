using System.Runtime.CompilerServices;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// The groups of one perspective in one form, for all who subscribe to that. A frame gets its place in the stream when it
/// is published and is compressed when the first subscriber takes it, with those before it that somebody still holds: in
/// order, once, and never for nobody. So a reader that waits has it compressed on the publisher's thread, with no hop,
/// and one that is busy leaves it for its own.
/// </summary>
/// <remarks>
/// Frames that wait are not held here: they wait in subscribers' queues, which are bounded. One that nobody holds any
/// more loses its place.
/// </remarks>
internal sealed class GroupStream(PayloadKind form) : IDisposable
{
    private readonly Lock _lock = new();
    private readonly LinkedList<PlacedFrame> _waiting = new();
    private readonly Stack<PlacedFrame> _unused = new();
    private readonly SemaphoreSlim _turn = new(1, 1);
    private GroupCompressor? _compressor;
    private bool _disposed;

    /// <summary>Gives a frame that is being published its place, where it has none yet.</summary>
    public void Place(ObservationFrame frame)
    {
        if (frame.Attached(this) is not null)
        {
            return;
        }

        PlacedFrame placed;
        lock (_lock)
        {
            placed = _unused.TryPop(out var unused) ? unused : new PlacedFrame(this);
            placed.Frame = frame;
            _waiting.AddLast(placed.Node);
        }

        frame.Attach(placed);
    }

    /// <summary>A frame's block, compressed now where it was not before.</summary>
    /// <param name="frame">One that was placed; the caller holds it, and with it the block.</param>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<GroupBlock> BlockOfAsync(ObservationFrame frame)
    {
        var placed = (PlacedFrame)frame.Attached(this)!;
        if (placed.Block is { } block)
        {
            return block;
        }

        // Uncontended for whoever is first; the others wait without holding a thread.
        await _turn.WaitAsync();
        try
        {
            while (placed.Block is null && placed.Failure is null && TakeFirst() is { } next)
            {
                Compress(next);
            }
        }
        finally
        {
            _turn.Release();
        }

        return placed.Block ?? throw placed.Failure!;
    }

    /// <summary>Nobody subscribes any more: frees the compressor's memory.</summary>
    public void Dispose()
    {
        _turn.Wait();
        _disposed = true;
        _compressor?.Dispose();
        _turn.Release();
    }

    /// <summary>Nobody holds the frame any more.</summary>
    public void Released(PlacedFrame placed)
    {
        placed.Block?.Release();
        lock (_lock)
        {
            if (placed.Node.List is not null)
            {
                _waiting.Remove(placed.Node);
            }

            placed.Frame = null;
            placed.Block = null;
            placed.Failure = null;
            _unused.Push(placed);
        }
    }

    // The frame comes held.
    private PlacedFrame? TakeFirst()
    {
        lock (_lock)
        {
            while (_waiting.First?.Value is { } first)
            {
                _waiting.RemoveFirst();
                if (first.Frame!.TryRetain())
                {
                    return first;
                }
            }
        }

        return null;
    }

    private void Compress(PlacedFrame next)
    {
        var frame = next.Frame!;
        GroupBlock? block = null;
        using var lap = EncodingClock.Run(frame);
        var started = MonotonicClock.NowNs;
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);

            // Made here, where a want of memory is this frame's failure and not the publisher's.
            _compressor ??= new GroupCompressor();
            block = _compressor.Add(form.BytesOf(frame).Span);
            FrameMessage.WriteShared(block, frame.Header, form.IsText);
            next.Block = block;
            next.Frame!.Made(
                form == PayloadKind.Observation ? EncodingKind.GroupZstd : EncodingKind.OtherGroupZstd,
                block.Data.Length, started);
        }
#pragma warning disable CA1031 // Whatever it is: who takes this frame hears of it, and not who takes another.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            block?.Release();
            next.Failure = failure;
        }
        finally
        {
            frame.Release();
        }
    }
}
