using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The subscription of a follower, read by a thread of the follower's own. In real time it ends if too much waits: then it can be
/// renewed.
/// </summary>
internal sealed class FollowerSubscription : IDisposable
{
    private readonly Hub _hub;
    private readonly SubscribeRequest _request;
    private readonly SubscriberInfo _info;
    private Subscription _subscription;
    private Task<Delivery>? _read;

    /// <param name="hub">The hub.</param>
    /// <param name="request">What to subscribe to.</param>
    /// <param name="info">What the subscriber is.</param>
    public FollowerSubscription(Hub hub, SubscribeRequest request, SubscriberInfo info) =>
        (_hub, _request, _info, _subscription) = (hub, request, info, hub.Subscribe(request, info));

    /// <summary>The match; null while none was announced.</summary>
    public MatchDescription? Match => _subscription.Match;

    /// <summary>Frames that wait.</summary>
    public int Queued => _subscription.State.Queued;

    /// <summary>Completes when <see cref="TryRead"/>, which has returned false, has a delivery.</summary>
    public Task Pending => _read!;

    /// <summary>Takes the next delivery; false if none waits.</summary>
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

    /// <summary>Subscribes again, from the newest frame; false if the match has ended.</summary>
    public bool TryRenew()
    {
        _subscription.Dispose();
        try
        {
            _subscription = _hub.Subscribe(new SubscribeRequest(_request) { MatchId = Match!.MatchId }, _info);
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
}
