using Sc2Bridge.V1;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Encodings.SharedMemory;

/// <summary>
/// Counts the blocks of a segment that one subscriber keeps. Limits the number of frames that were sent and not received yet, so that
/// the subscriber does not fall far behind. Holds a reference to each block that the subscriber may still read. Thread-safe.
/// </summary>
/// <param name="segment">The segment.</param>
public sealed class SharedWindow(SharedSegment segment) : IDisposable
{
    /// <summary>The maximum number of blocks that a subscriber keeps. The content of further frames is sent over the socket.</summary>
    public const int MostHeld = 32;

    // When a subscriber wakes up for a frame, it takes up to about this many waiting frames at once.
    private const int MostUnreceivedFrames = 16;

    private readonly Lock _lock = new();
    private readonly Dictionary<long, SharedBlock> _blocks = [];
    private TaskCompletionSource? _roomSignal;
    private int _unreceivedFrames;
    private int _mostUnreceivedFrames = MostUnreceivedFrames;
    private bool _hasReportedFull;
    private bool _isDisposed;

    /// <summary>The segment.</summary>
    public SharedSegment Segment => segment;

    /// <summary>Called once: when the subscriber keeps so many blocks that the next frame is sent over the socket.</summary>
    public Action? OnFull { get; set; }

    /// <summary>Sets the maximum number of frames that were sent and not received yet, which depends on the policy.</summary>
    public void SetPolicy(Policy policy) => _mostUnreceivedFrames = policy == Policy.Latest ? 1 : MostUnreceivedFrames;

    /// <summary>Waits until another frame may be sent.</summary>
    public Task WaitForRoomAsync(CancellationToken ct)
    {
        lock (_lock)
        {
            if (_unreceivedFrames < _mostUnreceivedFrames || _isDisposed)
            {
                return Task.CompletedTask;
            }

            _roomSignal ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _roomSignal.Task.WaitAsync(ct);
        }
    }

    /// <summary>Whether the subscriber may keep another block. If the result is false for the first time, <see cref="OnFull"/> is called.</summary>
    public bool CanKeepBlock
    {
        get
        {
            lock (_lock)
            {
                if (_blocks.Count < MostHeld)
                {
                    return true;
                }

                if (_hasReportedFull)
                {
                    return false;
                }

                _hasReportedFull = true;
            }

            OnFull?.Invoke();
            return false;
        }
    }

    /// <summary>Counts a frame that was sent, in shared memory or over the socket.</summary>
    public void CountSent()
    {
        lock (_lock)
        {
            _unreceivedFrames++;
        }
    }

    /// <summary>Hands a block to the subscriber. The window takes over the caller's reference.</summary>
    /// <returns>False if the subscriber has disconnected or has the block already, or if the block is empty. The window has then released
    /// the reference.</returns>
    public bool TryGive(SharedBlock block)
    {
        ArgumentNullException.ThrowIfNull(block);
        lock (_lock)
        {
            if (!_isDisposed && block.Length > 0 && _blocks.TryAdd(block.Offset, block))
            {
                return true;
            }
        }

        block.Release();
        return false;
    }

    /// <summary>Handles the subscriber's message about received frames and released blocks.</summary>
    /// <returns>The error in the message; null if the message is correct.</returns>
    public string? Acknowledge(SharedProgress progress)
    {
        ArgumentNullException.ThrowIfNull(progress);
        TaskCompletionSource? signal = null;
        lock (_lock)
        {
            if (_isDisposed)
            {
                return null;
            }

            if (progress.ReceivedFrames > (uint)_unreceivedFrames)
            {
                return $"{progress.ReceivedFrames} frames were received, but {_unreceivedFrames} were sent.";
            }

            _unreceivedFrames -= (int)progress.ReceivedFrames;
            foreach (var offset in progress.ReleasedOffsets)
            {
                if (!_blocks.Remove((long)offset, out var block))
                {
                    return $"The block at {offset} was released, but this connection does not have it.";
                }

                block.Release();
            }

            if (_unreceivedFrames < _mostUnreceivedFrames)
            {
                (signal, _roomSignal) = (_roomSignal, null);
            }
        }

        signal?.SetResult();
        return null;
    }

    /// <summary>Releases all blocks, after the subscriber has disconnected.</summary>
    public void Dispose()
    {
        TaskCompletionSource? signal;
        lock (_lock)
        {
            _isDisposed = true;
            foreach (var block in _blocks.Values)
            {
                block.Release();
            }

            _blocks.Clear();
            (signal, _roomSignal) = (_roomSignal, null);
        }

        signal?.SetResult();
    }
}
