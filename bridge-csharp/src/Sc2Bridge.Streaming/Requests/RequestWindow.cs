using System.Threading.RateLimiting;

namespace Sc2Bridge.Streaming;

/// <summary>Limits the requests in flight. Requests start in the order of the calls. Thread-safe.</summary>
/// <param name="places">The number of places. A request in flight occupies one or more places.</param>
#pragma warning disable CA1001 // The fields have no wait handles and no timers, so nothing must be disposed.
internal sealed class RequestWindow(int places)
#pragma warning restore CA1001
{
    // The limiter _freePlaces resumes calls out of order, so only one call at a time waits in the limiter.
    private readonly SemaphoreSlim _firstInLine = new(1, 1);
    private readonly ConcurrencyLimiter _freePlaces = new(new() { PermitLimit = places, QueueLimit = places });

    /// <summary>Starts a request when enough places are free.</summary>
    /// <param name="count">The number of places that the request occupies.</param>
    /// <param name="beginAsync">Starts the request. The argument stands for the request's places: dispose it when the request is complete.</param>
    /// <param name="ct">Cancels the wait for earlier calls. After this wait, the call can no longer be cancelled.</param>
    public async Task<T> BeginAsync<T>(int count, Func<IDisposable, Task<T>> beginAsync, CancellationToken ct)
    {
        await _firstInLine.WaitAsync(ct);
        Task<T> begun;
        try
        {
            // No cancellation here: the limiter would count a cancelled call for a moment, and might not signal the next call.
            begun = beginAsync(await _freePlaces.AcquireAsync(count, CancellationToken.None));
        }
        finally
        {
            _firstInLine.Release();
        }

        return await begun;
    }
}
