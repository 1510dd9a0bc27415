using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Sends agents' requests over one connection to the game. The game answers in order, so a step or an action waits for all
/// requests in flight. Therefore at most one batch of requests is in flight at a time. Clients that may not play ("watchers") get
/// a quarter of a batch and a quarter of the game's time. Thread-safe.
/// </summary>
/// <param name="clock">Measures how long the game works for clients that may not play.</param>
internal sealed class RequestGate(TimeProvider clock)
{
    /// <summary>The number of places for requests in flight: the size of a batch.</summary>
    public const int PlaceCount = GameRequestRules.MostAsked / GameRequestRules.AskedPerPlace;

    private const int WatchersShare = 4;

    // Watchers may use the game for a quarter of this time before they have to wait.
    private static readonly TimeSpan _burst = TimeSpan.FromSeconds(1);

    private readonly RequestWindow _gameWindow = new(PlaceCount);
    private readonly RequestWindow _watcherWindow = new(PlaceCount / WatchersShare);
    private readonly Lock _lock = new();
    private TimeSpan _lastAnswered;
    private TimeSpan _paidUntil;

    private TimeSpan Now => clock.GetElapsedTime(0);

    /// <summary>Sends a request when enough places are free. The request is in flight until the game has answered, even if the caller cancels.</summary>
    /// <param name="count">The number of places that the request occupies.</param>
    /// <param name="lacksPlayRole">Whether the client may not play.</param>
    /// <param name="askAsync">Sends the request to the game.</param>
    /// <param name="ct">Cancels a request that was not sent yet. If the request was sent, the call waits for the answer.</param>
    public Task<Response> AskAsync(int count, bool lacksPlayRole, Func<Task<Response>> askAsync, CancellationToken ct) =>
        lacksPlayRole
            ? _watcherWindow.BeginAsync(count, place => AskInShareAsync(place, count, askAsync, ct), ct)
            : _gameWindow.BeginAsync(count, place => MeasureAsync(place, isCharged: false, askAsync, ct), ct);

    private async Task<Response> AskInShareAsync(IDisposable place, int count, Func<Task<Response>> askAsync, CancellationToken ct)
    {
        using (place)
        {
            TimeSpan wait;
            lock (_lock)
            {
                wait = _paidUntil - _burst - Now;
            }

            if (wait > TimeSpan.Zero)
            {
                await Task.Delay(wait, clock, ct);
            }

            return await _gameWindow.BeginAsync(count, one => MeasureAsync(one, isCharged: true, askAsync, ct), ct);
        }
    }

    private async Task<Response> MeasureAsync(IDisposable place, bool isCharged, Func<Task<Response>> askAsync, CancellationToken ct)
    {
        using (place)
        {
            // The places may become free at the moment of the cancellation. Then the request is not sent.
            ct.ThrowIfCancellationRequested();
            var sent = Now;
            var response = await askAsync();
            lock (_lock)
            {
                // The game starts a request when it has answered the previous request.
                var (began, now) = (Max(sent, _lastAnswered), Now);
                _paidUntil = isCharged ? Max(began, _paidUntil) + (WatchersShare * (now - began)) : _paidUntil;
                _lastAnswered = now;
            }

            return response;
        }
    }

    private static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;
}
