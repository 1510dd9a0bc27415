using System.Threading.RateLimiting;

namespace Sc2Bridge.Streaming;

/// <summary>Limits the requests that are in flight at a time. They begin in the order of the calls. Thread-safe.</summary>
/// <param name="places">How many places they share.</param>
#pragma warning disable CA1001 // Without wait handles and timers, the garbage collector is enough.
internal sealed class RequestWindow(int places)
#pragma warning restore CA1001
{
    // The limiter resumes calls out of order, so only one waits in it.
    private readonly SemaphoreSlim _next = new(1, 1);
    private readonly ConcurrencyLimiter _free = new(new() { PermitLimit = places, QueueLimit = places });

    /// <summary>Begins a request when there is room for it.</summary>
    /// <param name="count">The places that it takes.</param>
    /// <param name="beginAsync">Begins it. Gets its places, and disposes them when the request is over.</param>
    /// <param name="ct">Gives up waiting for the calls before it. A call that is first waits until there is room.</param>
    public async Task<T> BeginAsync<T>(int count, Func<IDisposable, Task<T>> beginAsync, CancellationToken ct)
    {
        await _next.WaitAsync(ct);
        Task<T> begun;
        try
        {
            // Not cancelled: the limiter would count a cancelled call for a moment, and could leave the next one without a signal.
            begun = beginAsync(await _free.AcquireAsync(count, CancellationToken.None));
        }
        finally
        {
            _next.Release();
        }

        return await begun;
    }
}
