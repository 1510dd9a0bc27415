using Sc2Bridge.V1;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Encodings.SharedMemory;

/// <summary>
/// What one reader has of a segment: frames that were sent ahead and not taken yet, which bounds how far it falls behind,
/// and blocks that it may still read. Thread-safe.
/// </summary>
/// <param name="segment">The segment.</param>
public sealed class SharedWindow(SharedSegment segment) : IDisposable
{
    /// <summary>The most blocks that a reader keeps; the content of further frames is copied to it.</summary>
    public const int MostHeld = 32;

    // As many as a reader takes at once that is woken for the first.
    private const int MostAhead = 16;

    private readonly Lock _lock = new();
    private readonly Dictionary<long, SharedBlock> _held = [];
    private TaskCompletionSource? _room;
    private int _untaken;
    private int _mostAhead = MostAhead;
    private bool _isTold;
    private bool _isOver;

    /// <summary>The segment.</summary>
    public SharedSegment Segment => segment;

    /// <summary>Called once, when the reader keeps so much that its frames are copied.</summary>
    public Action? Full { get; set; }

    /// <summary>How far frames are sent ahead under a policy.</summary>
    public void Follow(Policy policy) => _mostAhead = policy == Policy.Latest ? 1 : MostAhead;

    /// <summary>Waits until a frame may be sent; completes at once where one may.</summary>
    public Task RoomAsync(CancellationToken ct)
    {
        lock (_lock)
        {
            if (_untaken < _mostAhead || _isOver)
            {
                return Task.CompletedTask;
            }

            _room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _room.Task.WaitAsync(ct);
        }
    }

    /// <summary>Whether the reader may have another block.</summary>
    public bool MayHold
    {
        get
        {
            lock (_lock)
            {
                if (_held.Count < MostHeld)
                {
                    return true;
                }

                if (_isTold)
                {
                    return false;
                }

                _isTold = true;
            }

            Full?.Invoke();
            return false;
        }
    }

    /// <summary>A frame is sent, wherever its content is.</summary>
    public void Sent()
    {
        lock (_lock)
        {
            _untaken++;
        }
    }

    /// <summary>The reader is told of a block, which is the window's from here on.</summary>
    /// <returns>False where the reader is gone, has it already, or the block is empty: it was released.</returns>
    public bool Give(SharedBlock block)
    {
        ArgumentNullException.ThrowIfNull(block);
        lock (_lock)
        {
            if (!_isOver && block.Length > 0 && _held.TryAdd(block.Offset, block))
            {
                return true;
            }
        }

        block.Release();
        return false;
    }

    /// <summary>The reader says what it has taken, and needs no more.</summary>
    /// <returns>What is wrong with that; null where nothing is.</returns>
    public string? Take(SharedProgress progress)
    {
        ArgumentNullException.ThrowIfNull(progress);
        TaskCompletionSource? room = null;
        lock (_lock)
        {
            if (_isOver)
            {
                return null;
            }

            if (progress.ReceivedFrames > (uint)_untaken)
            {
                return $"{progress.ReceivedFrames} frames were received, but {_untaken} were sent.";
            }

            _untaken -= (int)progress.ReceivedFrames;
            foreach (var offset in progress.ReleasedOffsets)
            {
                if (!_held.Remove((long)offset, out var block))
                {
                    return $"The block at {offset} was released, but this connection does not have it.";
                }

                block.Release();
            }

            if (_untaken < _mostAhead)
            {
                (room, _room) = (_room, null);
            }
        }

        room?.SetResult();
        return null;
    }

    /// <summary>The reader is gone: gives back all that it had.</summary>
    public void Dispose()
    {
        TaskCompletionSource? room;
        lock (_lock)
        {
            _isOver = true;
            foreach (var block in _held.Values)
            {
                block.Release();
            }

            _held.Clear();
            (room, _room) = (_room, null);
        }

        room?.SetResult();
    }
}
