using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Hands agents' requests to one connection to the game, a batch at a time, because the game answers in order: a step or an action
/// waits for one batch at most. Clients that may not play have a quarter of a batch, and of the game's time. Thread-safe.
/// </summary>
/// <param name="clock">Measures the requests of clients that may not play.</param>
internal sealed class RequestGate(TimeProvider clock)
{
    /// <summary>Places for requests that are in flight: a batch.</summary>
    public const int Places = GameRequestRules.MostAsked / GameRequestRules.AskedPerPlace;

    private const int WatchersShare = 4;

    // Watchers begin to wait when they have used a quarter of this time.
    private static readonly TimeSpan _burst = TimeSpan.FromSeconds(1);

    private readonly RequestWindow _game = new(Places);
    private readonly RequestWindow _watchers = new(Places / WatchersShare);
    private readonly Lock _lock = new();
    private TimeSpan _answered;
    private TimeSpan _paid;

    private TimeSpan Now => clock.GetElapsedTime(0);

    /// <summary>Asks when it is the request's turn. It is in flight until the game has answered, also if the caller gives up.</summary>
    /// <param name="count">The places that it takes.</param>
    /// <param name="mayNotPlay">Whether the client may not play.</param>
    /// <param name="askAsync">Asks the game.</param>
    /// <param name="ct">Cancels a request that was not sent yet. A request that was sent is awaited.</param>
    public Task<Response> AskAsync(int count, bool mayNotPlay, Func<Task<Response>> askAsync, CancellationToken ct) =>
        mayNotPlay
            ? _watchers.BeginAsync(count, place => AskInShareAsync(place, count, askAsync, ct), ct)
            : _game.BeginAsync(count, place => MeasureAsync(place, isCharged: false, askAsync, ct), ct);

    private async Task<Response> AskInShareAsync(IDisposable place, int count, Func<Task<Response>> askAsync, CancellationToken ct)
    {
        using (place)
        {
            TimeSpan early;
            lock (_lock)
            {
                early = _paid - _burst - Now;
            }

            if (early > TimeSpan.Zero)
            {
                await Task.Delay(early, clock, ct);
            }

            return await _game.BeginAsync(count, one => MeasureAsync(one, isCharged: true, askAsync, ct), ct);
        }
    }

    private async Task<Response> MeasureAsync(IDisposable place, bool isCharged, Func<Task<Response>> askAsync, CancellationToken ct)
    {
        using (place)
        {
            // A place can come at the same time as the cancellation.
            ct.ThrowIfCancellationRequested();
            var sent = Now;
            var response = await askAsync();
            lock (_lock)
            {
                // The game begins a request after its answer to the one before.
                var (began, now) = (Max(sent, _answered), Now);
                _paid = isCharged ? Max(began, _paid) + (WatchersShare * (now - began)) : _paid;
                _answered = now;
            }

            return response;
        }
    }

    private static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;
}
