using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Hands agents' requests to one connection to the game, one at a time, because the game answers in order: a step or an action
/// waits for one of them at most. Requests of clients that may only watch wait for each other first, and get a quarter of
/// the game's time. Thread-safe.
/// </summary>
/// <param name="clock">Measures the requests of clients that may only watch.</param>
#pragma warning disable CA1001 // A semaphore whose wait handle is never asked for has nothing to dispose of.
internal sealed class RequestGate(TimeProvider clock)
#pragma warning restore CA1001
{
    private const int WatchersShare = 4;

    // Before they wait for their share: of that much time, they have used a quarter.
    private static readonly TimeSpan _burst = TimeSpan.FromSeconds(1);

    private readonly SemaphoreSlim _game = new(1, 1);
    private readonly SemaphoreSlim _watchers = new(1, 1);
    private TimeSpan _watchersPaid;

    private TimeSpan Now => clock.GetElapsedTime(0);

    /// <summary>Asks when it is the request's turn. The next turn begins when the game has answered, also if the caller gave up.</summary>
    /// <param name="onlyWatches">Whether the client may only watch the match.</param>
    /// <param name="askAsync">Asks the game.</param>
    /// <param name="ct">Gives up waiting.</param>
    public async Task<Response> AskAsync(bool onlyWatches, Func<Task<Response>> askAsync, CancellationToken ct)
    {
        var watchers = onlyWatches ? _watchers : null;
        await (watchers?.WaitAsync(ct) ?? Task.CompletedTask);
        try
        {
            if (watchers is not null && _watchersPaid - _burst - Now is var early && early > TimeSpan.Zero)
            {
                await Task.Delay(early, clock, ct);
            }

            await _game.WaitAsync(ct);
        }
        catch
        {
            watchers?.Release();
            throw;
        }

        return await AskInTurnAsync(askAsync, watchers).WaitAsync(ct);
    }

    private async Task<Response> AskInTurnAsync(Func<Task<Response>> askAsync, SemaphoreSlim? watchers)
    {
        var began = Now;
        try
        {
            return await askAsync();
        }
        finally
        {
            _game.Release();
            if (watchers is not null)
            {
                _watchersPaid = (_watchersPaid > began ? _watchersPaid : began) + (WatchersShare * (Now - began));
                watchers.Release();
            }
        }
    }
}
