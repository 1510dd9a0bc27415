using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>A recorder's subscription to every perspective, for one thread that waits for other things too.</summary>
/// <param name="hub">The hub.</param>
/// <param name="queueBytes">What may wait in real time, in bytes.</param>
/// <param name="pauseBytes">What may wait before another match does; at each moment.</param>
internal sealed class RecorderSubscription(Hub hub, long queueBytes, Func<long> pauseBytes) : IDisposable
{
    private Subscription _subscription = Subscribe(hub, queueBytes, pauseBytes, match: "");
    private Task<Delivery>? _read;

    /// <summary>The match that it is tied to; null where none was announced yet.</summary>
    public MatchDescription? Match => _subscription.Match;

    /// <summary>Completes when there is something to read, after <see cref="TryRead"/> found nothing.</summary>
    public Task Ready => _read ?? Task.CompletedTask;

    /// <summary>The next delivery, where there is one.</summary>
    public bool TryRead(out Delivery delivery)
    {
        var read = _read is { } begun ? new ValueTask<Delivery>(begun) : _subscription.ReadAsync(CancellationToken.None);
        if (!read.IsCompleted)
        {
            _read ??= read.AsTask();
            delivery = default;
            return false;
        }

        _read = null;
        delivery = read.GetAwaiter().GetResult();
        return true;
    }

    /// <summary>Subscribes again from the newest frame, after its subscription ended for being too slow.</summary>
    /// <returns>False where the match has ended.</returns>
    public bool Renew()
    {
        _subscription.Dispose();
        try
        {
            _subscription = Subscribe(hub, queueBytes, pauseBytes, _subscription.Match!.MatchId);
            return true;
        }
        catch (RequestRefusedException)
        {
            return false;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _subscription.Dispose();

        // The publisher may have had a delivery for it in its hands.
        _read?.ContinueWith(
            static read => read.Result.Release(),
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnRanToCompletion | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    private static Subscription Subscribe(Hub hub, long queueBytes, Func<long> pauseBytes, string match) => hub.Subscribe(
        new V1.SubscribeRequest
        {
            Policy = Policy.Every,
            Agent = "recorder",
            MatchId = match,
            QueueBytes = (ulong)queueBytes,
        },
        new SubscriberInfo(
            "recording", DeliverInline: true, Internal: true, EveryPerspective: true, PauseBytes: pauseBytes));
}
