namespace Sc2Bridge.Games;

/// <summary>How many of a client's requests the game has not answered. Any thread may call any member.</summary>
internal sealed class InFlightRequests
{
    /// <summary>How many there may be.</summary>
    public const int Most = 256;

    // A longer request is in flight alone at first: so many shorter ones are at most 64 MiB.
    private const int LongestOfMany = 256 << 10;

    private readonly Lock _lock = new();
    private TaskCompletionSource? _idle;
    private int _count;

    /// <summary>How many there are.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether there is none.</summary>
    public bool IsIdle => Count == 0;

    /// <summary>One more.</summary>
    public void Entered() => Interlocked.Increment(ref _count);

    /// <summary>One less.</summary>
    public void Left()
    {
        TaskCompletionSource? idle = null;
        lock (_lock)
        {
            if (Interlocked.Decrement(ref _count) == 0)
            {
                (idle, _idle) = (_idle, null);
            }
        }

        idle?.TrySetResult();
    }

    /// <summary>Completes when a request of so many bytes may be one more.</summary>
    public Task WhenRoomAsync(int bytes) =>
        Count < Most && bytes <= LongestOfMany ? Task.CompletedTask : WhenIdleAsync();

    /// <summary>Completes when there is none.</summary>
    public Task WhenIdleAsync()
    {
        lock (_lock)
        {
            if (IsIdle)
            {
                return Task.CompletedTask;
            }

            _idle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _idle.Task;
        }
    }
}
