using Microsoft.Extensions.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The subscriptions, each with a unique name. It also finds sides of the running match that have lost their last agent.
/// Thread-safe.
/// </summary>
/// <param name="perspectives">Knows the newest steps, for events.</param>
/// <param name="events">Raises the events of subscribers.</param>
/// <param name="logger">Logs subscribers that leave.</param>
internal sealed class SubscriptionRegistry(PublishedPerspectives perspectives, HubEvents events, ILogger logger)
{
    private readonly Lock _lock = new();
    private readonly SubscriberNames _names = new();
    private readonly Dictionary<(string Transport, Policy Policy), (long Delivered, long Dropped)> _totalsOfDeparted = [];
    private TaskCompletionSource _added = NewSource();
    private int _externalCount;

    /// <summary>The order in which subscriptions are offered a frame.</summary>
    public OfferOrder Order { get; } = new();

    public Sessions Sessions { get; } = new();

    /// <summary>The number of agents of each side.</summary>
    public PlayedSides Sides { get; } = new();

    /// <summary>
    /// Reserves a name that no running subscription has: the wanted name, or the wanted name with a number. <see cref="OnEnded"/>
    /// frees the name before the subscriber leaves, because the agent may already subscribe to the next match.
    /// </summary>
    public SubscriberName ReserveName(string wanted) => _names.Reserve(wanted.Length == 0 ? "agent" : wanted);

    public void Add(Subscription subscription)
    {
        lock (_lock)
        {
            Order.Add(subscription);
            if (subscription.Core.MarkCounted())
            {
                Interlocked.Increment(ref _externalCount);
                _added.SetResult();
                _added = NewSource();
            }
        }
    }

    /// <summary>
    /// Called once when a subscription ends, even if frames are still queued: frees its name, ends its session, and
    /// no longer counts the subscription. This method takes no lock that is held during calls of a subscription.
    /// </summary>
    /// <param name="name">The subscription's name.</param>
    /// <param name="session">The subscription's session.</param>
    /// <param name="wasCounted">Whether the subscription was added and is not one of the bridge's own.</param>
    public void OnEnded(in SubscriberName name, string session, bool wasCounted)
    {
        _names.Release(name);
        Sessions.Close(session);
        if (wasCounted)
        {
            Interlocked.Decrement(ref _externalCount);
        }
    }

    /// <summary>Removes a subscription.</summary>
    /// <param name="subscription">The subscription.</param>
    /// <param name="completed">See <see cref="HubEvents.SubscriberLeft"/>.</param>
    /// <param name="trouble">Why it left; null if it has read everything, or if the reason was reported before.</param>
    public void Remove(Subscription subscription, bool completed, AgentTroubleKind? trouble = null)
    {
        if (trouble is { } kind)
        {
            events.RaiseTroubled(subscription, kind);
        }

        // The event is raised before the subscriber leaves the list and its name becomes free.
        StreamingLog.Unsubscribed(logger, subscription.Name, completed);
        events.RaiseSubscriberLeft(subscription, completed);
        subscription.Core.ReleaseName();
        var state = subscription.State;
        lock (_lock)
        {
            Order.Remove(subscription);
            var (delivered, dropped) = _totalsOfDeparted.GetValueOrDefault((state.Transport, state.Policy));
            _totalsOfDeparted[(state.Transport, state.Policy)] = (delivered + state.Delivered, dropped + state.Dropped);
        }
    }

    /// <summary>
    /// The deliveries by transport and policy, also to subscribers that have left. The number of entries is limited,
    /// because clients cannot invent transports or policies.
    /// </summary>
    public IReadOnlyList<DeliveryTotal> Totals()
    {
        Dictionary<(string Transport, Policy Policy), DeliveryTotal> totals;
        Subscription[] all;
        lock (_lock)
        {
            totals = _totalsOfDeparted.ToDictionary(departed => departed.Key, departed => new DeliveryTotal(
                departed.Key.Transport, HubMeters.PolicyName(departed.Key.Policy), departed.Value.Delivered, departed.Value.Dropped, 0, 0));
            all = Order.All;
        }

        foreach (var state in all.Select(subscription => subscription.State))
        {
            var total = totals.GetValueOrDefault((state.Transport, state.Policy));
            totals[(state.Transport, state.Policy)] = new DeliveryTotal(
                state.Transport, HubMeters.PolicyName(state.Policy), total.Delivered + state.Delivered,
                total.Dropped + state.Dropped, total.Queued + state.Queued, total.QueuedBytes + state.QueuedBytes);
        }

        return [.. totals.Values];
    }

    /// <summary>Called when a subscription was ended because of its agent.</summary>
    public void OnDropped(Subscription subscription, string why, AgentTroubleKind trouble)
    {
        events.RaiseTroubled(subscription, trouble, why);
        events.NoticeDropped(subscription, perspectives.NewestStep(subscription.State.Perspective ?? 0), why);
        if (subscription.Side is { } side)
        {
            RaiseIfAbandoned(side);
        }
    }

    /// <summary>Called when a subscription was ended by a defect of the bridge.</summary>
    public void OnFailed(Subscription subscription, Exception defect) =>
        StreamingLog.SubscriberFailed(logger, subscription.Name, defect);

    /// <summary>Called when an agent left, or ended its stream.</summary>
    /// <param name="subscription">The agent's subscription.</param>
    /// <param name="played">The side that the agent played until then; null if it played none.</param>
    /// <param name="endedStream">Whether the agent ended its stream, and still reads.</param>
    public void OnStoppedPlaying(Subscription subscription, uint? played, bool endedStream)
    {
        if (played is { } side && Sides.IsMatchRunning)
        {
            if (endedStream)
            {
                events.RaiseTroubled(subscription, AgentTroubleKind.EndedStream);
            }

            events.NoticeLeft(subscription, side, perspectives.NewestStep(side), endedStream ? "ended its stream" : "left");
            RaiseIfAbandoned(side);
        }
    }

    /// <summary>Ends subscriptions whose tokens have expired. Call it once a second.</summary>
    public void EndExpired(DateTimeOffset now)
    {
        foreach (var subscription in Order.All.Where(one => one.Info.Identity?.Expires <= now))
        {
            subscription.Core.Drop(Errors.TokenExpired());
        }
    }

    public void ReportTimes(in TimesReport report) => events.RaiseTimesReported(report);

    /// <summary>See <see cref="Hub.WaitForSubscribersAsync"/>.</summary>
    public async Task WaitForAgentsAsync(IReadOnlyCollection<string> names, int others, CancellationToken ct)
    {
        while (true)
        {
            Task added;
            lock (_lock)
            {
                if (Volatile.Read(ref _externalCount) >= names.Count + others
                    && names.All(name => Order.All.Any(one => !one.HasEnded && one.Core.WantedName == name)))
                {
                    return;
                }

                added = _added.Task;
            }

            await added.WaitAsync(ct).ConfigureAwait(false);
        }
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void RaiseIfAbandoned(uint side)
    {
        if (Sides.IsSideAbandoned(side))
        {
            events.RaiseSideAbandoned(side);
        }
    }
}
