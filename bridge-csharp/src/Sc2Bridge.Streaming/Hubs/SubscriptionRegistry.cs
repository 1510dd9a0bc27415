using Microsoft.Extensions.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The subscriptions: each under a unique name, and which sides of the match that runs have lost their last agent.
/// Thread-safe.
/// </summary>
/// <param name="perspectives">How far the match is, for events.</param>
/// <param name="events">Raises what happens to subscribers.</param>
/// <param name="logger">Logs subscribers that leave.</param>
internal sealed class SubscriptionRegistry(PublishedPerspectives perspectives, HubEvents events, ILogger logger)
{
    private readonly Lock _lock = new();
    private readonly SubscriberNames _names = new();
    private readonly Dictionary<(string Transport, Policy Policy), (long Delivered, long Dropped)> _left = [];
    private TaskCompletionSource _came = NewCame();
    private int _external;

    /// <summary>In which frames are offered to them.</summary>
    public OfferOrder Order { get; } = new();

    public Sessions Sessions { get; } = new();

    /// <summary>How many agents play each side.</summary>
    public PlayedSides Sides { get; } = new();

    /// <summary>
    /// A name that no running subscription has: the wanted one, or that with a number. It is taken until
    /// <see cref="Ended"/>: an agent that stays for the next match may subscribe again before its last subscription is gone.
    /// </summary>
    public SubscriberName NameFor(string wanted) => _names.Take(wanted.Length == 0 ? "agent" : wanted);

    public void Add(Subscription subscription)
    {
        lock (_lock)
        {
            Order.Add(subscription);
            if (subscription.Core.Count())
            {
                Interlocked.Increment(ref _external);
                _came.SetResult();
                _came = NewCame();
            }
        }
    }

    /// <summary>
    /// A subscription has ended, except for what is queued: its name is free, its session has ended, and it is not counted.
    /// To be called once; takes no lock that a subscription is called under.
    /// </summary>
    /// <param name="name">Its name.</param>
    /// <param name="session">Its session.</param>
    /// <param name="wasCounted">Whether it was added, and is not one of the bridge's own.</param>
    public void Ended(in SubscriberName name, string session, bool wasCounted)
    {
        _names.Return(name);
        Sessions.Close(session);
        if (wasCounted)
        {
            Interlocked.Decrement(ref _external);
        }
    }

    /// <summary>Removes a subscription.</summary>
    /// <param name="subscription">Which.</param>
    /// <param name="completed">As of <see cref="HubEvents.SubscriberLeft"/>.</param>
    public void Remove(Subscription subscription, bool completed)
    {
        // Raised before the subscriber is gone from the list, and its name free.
        StreamingLog.Unsubscribed(logger, subscription.Name, completed);
        events.SubscriberHasLeft(subscription, completed);
        subscription.Core.GiveUpSeat();
        var state = subscription.State;
        lock (_lock)
        {
            Order.Remove(subscription);
            var (delivered, dropped) = _left.GetValueOrDefault((state.Transport, state.Policy));
            _left[(state.Transport, state.Policy)] = (delivered + state.Delivered, dropped + state.Dropped);
        }
    }

    /// <summary>
    /// Deliveries of all subscribers, past ones too, by transport and policy: as many as there can be of these, whatever
    /// clients call themselves.
    /// </summary>
    public IReadOnlyList<DeliveryTotal> Totals()
    {
        Dictionary<(string Transport, Policy Policy), DeliveryTotal> totals;
        Subscription[] all;
        lock (_lock)
        {
            totals = _left.ToDictionary(left => left.Key, left => new DeliveryTotal(
                left.Key.Transport, HubMeters.PolicyName(left.Key.Policy), left.Value.Delivered, left.Value.Dropped, 0, 0));
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

    /// <summary>A subscription was ended because of its agent.</summary>
    public void Dropped(Subscription subscription, string why)
    {
        events.Dropped(subscription, perspectives.NewestStep(subscription.State.Perspective ?? 0), why);
        if (subscription.Side is { } side)
        {
            CheckPlayed(side);
        }
    }

    /// <summary>A subscription was ended by a defect of the bridge.</summary>
    public void Failed(Subscription subscription, Exception defect) =>
        StreamingLog.SubscriberFailed(logger, subscription.Name, defect);

    /// <summary>An agent left, or ended its stream.</summary>
    /// <param name="subscription">The agent's.</param>
    /// <param name="played">The side that it played until then; null if none.</param>
    /// <param name="how">What it did.</param>
    public void StoppedPlaying(Subscription subscription, uint? played, string how)
    {
        if (played is { } side && Sides.Runs)
        {
            events.Left(subscription, side, perspectives.NewestStep(side), how);
            CheckPlayed(side);
        }
    }

    /// <summary>Ends subscriptions whose tokens have expired; to be called once a second.</summary>
    public void EndExpired(DateTimeOffset now)
    {
        foreach (var subscription in Order.All.Where(one => one.Info.Identity?.Expires <= now))
        {
            subscription.Core.Drop(Errors.TokenExpired());
        }
    }

    /// <summary>An agent reports what it measured.</summary>
    public void Report(in TimesReport report) => events.Report(report);

    /// <summary>See <see cref="Hub.WaitForSubscribersAsync"/>.</summary>
    public async Task WaitAsync(IReadOnlyCollection<string> names, int others, CancellationToken ct)
    {
        while (true)
        {
            Task came;
            lock (_lock)
            {
                if (Volatile.Read(ref _external) >= names.Count + others
                    && names.All(name => Order.All.Any(one => !one.HasEnded && one.Core.WantedName == name)))
                {
                    return;
                }

                came = _came.Task;
            }

            await came.WaitAsync(ct).ConfigureAwait(false);
        }
    }

    private static TaskCompletionSource NewCame() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void CheckPlayed(uint side)
    {
        if (Sides.IsAbandoned(side))
        {
            events.Abandon(side);
        }
    }
}
