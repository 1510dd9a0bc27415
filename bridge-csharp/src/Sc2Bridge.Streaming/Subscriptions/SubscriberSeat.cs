namespace Sc2Bridge.Streaming;

/// <summary>
/// The name, the session and the place in the count that a subscriber has until it ends. Thread-safe.
/// </summary>
internal sealed class SubscriberSeat(Subscription subscription, SubscriberName name, bool isInternal, SubscriptionRegistry registry)
{
    private readonly Lock _lock = new();
    private bool _isFree;
    private bool _isCounted;

    public SubscriberName Name { get; } = name;

    public string SessionId { get; } = isInternal ? "" : registry.Sessions.Open(subscription);

    /// <summary>It was added to the registry.</summary>
    /// <returns>Whether it counts as a subscriber that runs.</returns>
    public bool Count()
    {
        lock (_lock)
        {
            return _isCounted = !_isFree && !isInternal;
        }
    }

    /// <summary>Another may have it; only the first call counts.</summary>
    public void GiveUp()
    {
        lock (_lock)
        {
            if (!_isFree)
            {
                _isFree = true;
                registry.Ended(this, _isCounted);
            }
        }
    }
}
