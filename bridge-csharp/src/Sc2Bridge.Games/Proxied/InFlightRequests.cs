namespace Sc2Bridge.Games;

/// <summary>How many of a bot's requests the game has not answered. Any thread may call any member.</summary>
internal sealed class InFlightRequests
{
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
