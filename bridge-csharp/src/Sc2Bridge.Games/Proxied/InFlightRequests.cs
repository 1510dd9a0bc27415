namespace Sc2Bridge.Games;

/// <summary>Counts the requests of a client that the game has not answered. Thread-safe.</summary>
internal sealed class InFlightRequests
{
    /// <summary>The maximum number of requests in flight.</summary>
    public const int MostRequests = 256;

    // A request with more bytes waits until no other request is in flight. All other requests in flight have at most 64 MiB together.
    private const int LongestOfMany = 256 << 10;

    private readonly Lock _lock = new();
    private TaskCompletionSource? _idle;
    private int _count;

    /// <summary>The number of requests in flight.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether no request is in flight.</summary>
    public bool IsIdle => Count == 0;

    /// <summary>Counts a request that is sent.</summary>
    public void Add() => Interlocked.Increment(ref _count);

    /// <summary>Removes a request that was answered.</summary>
    public void Remove()
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

    /// <summary>Waits until a request of this size may be sent.</summary>
    public Task WhenBelowLimitAsync(int bytes) =>
        Count < MostRequests && bytes <= LongestOfMany ? Task.CompletedTask : WhenIdleAsync();

    /// <summary>Waits until no request is in flight.</summary>
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
