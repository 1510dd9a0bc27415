using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The subscription of the step log or of a <see cref="MatchFollower"/>. Only the owner's thread reads it. In real
/// time, the subscription ends if its queue overflows. The owner can then renew it.
/// </summary>
internal sealed class FollowerSubscription : IDisposable
{
    private readonly Hub _hub;
    private readonly SubscribeRequest _request;
    private readonly SubscriberInfo _info;
    private Subscription _subscription;
    private Task<Delivery>? _pendingRead;

    /// <param name="hub">The hub.</param>
    /// <param name="request">What to subscribe to.</param>
    /// <param name="info">What the subscriber is.</param>
    public FollowerSubscription(Hub hub, SubscribeRequest request, SubscriberInfo info) =>
        (_hub, _request, _info, _subscription) = (hub, request, info, hub.Subscribe(request, info));

    /// <summary>The match; null until a match is announced.</summary>
    public MatchDescription? Match => _subscription.Match;

    /// <summary>The number of queued frames.</summary>
    public int Queued => _subscription.State.Queued;

    /// <summary>Completes when the next delivery is ready. Call it only after <see cref="TryRead"/> has returned false.</summary>
    public Task PendingRead => _pendingRead!;

    /// <summary>Removes the next delivery from the queue; false if the queue is empty.</summary>
    public bool TryRead(out Delivery delivery)
    {
        var read = _pendingRead is { } begun ? new ValueTask<Delivery>(begun) : _subscription.ReadAsync(CancellationToken.None);
        if (!read.IsCompleted)
        {
            _pendingRead ??= read.AsTask();
            delivery = default;
            return false;
        }

        _pendingRead = null;
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

        // The pending read may already have a delivery, or still get one. That delivery must be released.
        _pendingRead?.ContinueWith(
            static read => read.Result.Release(),
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnRanToCompletion | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }
}
