namespace Sc2Bridge.Streaming;

/// <summary>Limits the requests that are in flight at a time. They begin in the order of the calls. Thread-safe.</summary>
/// <param name="places">How many places they share.</param>
#pragma warning disable CA1001 // Without wait handles, the garbage collector is enough.
internal sealed class RequestWindow(int places)
#pragma warning restore CA1001
{
    // One request at a time takes places: two could each wait for those of the other.
    private readonly SemaphoreSlim _next = new(1, 1);
    private readonly SemaphoreSlim _free = new(places, places);

    /// <summary>Begins a request when there is room for it.</summary>
    /// <param name="count">The places that it takes.</param>
    /// <param name="beginAsync">Begins it. Gets its places, and disposes them when the request is over.</param>
    /// <param name="ct">Gives up waiting for room.</param>
    public async Task<T> BeginAsync<T>(int count, Func<IDisposable, Task<T>> beginAsync, CancellationToken ct)
    {
        await _next.WaitAsync(ct);
        Task<T> begun;
        try
        {
            begun = beginAsync(await TakeAsync(count, ct));
        }
        finally
        {
            _next.Release();
        }

        return await begun;
    }

    private async Task<Places> TakeAsync(int count, CancellationToken ct)
    {
        var taken = 0;
        try
        {
            for (; taken < count; taken++)
            {
                await _free.WaitAsync(ct);
            }

            // A place can come at the same time as the cancellation.
            ct.ThrowIfCancellationRequested();
            return new Places(_free, count);
        }
        catch when (taken > 0)
        {
            _free.Release(taken);
            throw;
        }
    }

    private sealed class Places(SemaphoreSlim free, int count) : IDisposable
    {
        public void Dispose() => free.Release(count);
    }
}
