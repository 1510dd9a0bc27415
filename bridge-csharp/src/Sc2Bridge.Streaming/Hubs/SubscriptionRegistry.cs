using Microsoft.Extensions.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The subscriptions: each under a unique name, in the order in which a frame is offered to them; and which sides of
/// the match that runs have lost their last agent. Thread-safe.
/// </summary>
/// <param name="perspectives">How far the match is, for events.</param>
/// <param name="events">Raises what happens to subscribers.</param>
/// <param name="logger">Logs subscribers that leave.</param>
internal sealed class SubscriptionRegistry(PublishedPerspectives perspectives, HubEvents events, ILogger logger)
{
    private readonly Lock _lock = new();
    private readonly HashSet<uint> _played = [];
    private bool _runs;
    private Subscription[] _all = [];
    private List<(int Count, TaskCompletionSource Reached)> _awaited = [];
    private readonly Dictionary<(string Transport, Policy Policy), (long Delivered, long Dropped)> _left = [];
    private int _external;

    /// <summary>An immutable snapshot: a change replaces the array.</summary>
    public Subscription[] All => Volatile.Read(ref _all);

    /// <summary>A name that no running subscription has: the wanted one, or that with a number.</summary>
    public string NameFor(string wanted)
    {
        var name = wanted.Length == 0 ? "agent" : wanted;
        var unique = name;
        // An agent that stays for the next match may subscribe again before its last subscription is gone.
        var taken = All.Where(other => !other.HasEnded).Select(other => other.Name).ToHashSet();
        for (var number = 2; taken.Contains(unique); number++)
        {
            unique = $"{name}-{number}";
        }

        return unique;
    }

    /// <summary>
    /// Adds a subscription at its rank. Lockstep agents come first, so that they are released together; readers that
    /// take frames inline before those that must be woken, compressing ones after plain ones, and the bridge's own
    /// last, so that they delay no delivery.
    /// </summary>
    public void Add(Subscription subscription)
    {
        lock (_lock)
        {
            Volatile.Write(ref _all, [.. _all.Append(subscription).OrderBy(Rank)]);
            Count();
        }
    }

    /// <summary>Removes a subscription.</summary>
    /// <param name="subscription">Which.</param>
    /// <param name="completed">As of <see cref="HubEvents.SubscriberLeft"/>.</param>
    public void Remove(Subscription subscription, bool completed)
    {
        // Raised before the subscriber is gone from the list.
        StreamingLog.Unsubscribed(logger, subscription.Name, completed);
        events.SubscriberHasLeft(subscription, completed);
        lock (_lock)
        {
            Volatile.Write(ref _all, [.. _all.Where(other => other != subscription)]);
            var state = subscription.State;
            var (delivered, dropped) = _left.GetValueOrDefault((state.Transport, state.Policy));
            _left[(state.Transport, state.Policy)] = (delivered + state.Delivered, dropped + state.Dropped);
            Count();
        }
    }

    /// <summary>Deliveries of all subscribers, past ones too, by transport and policy.</summary>
    public IReadOnlyList<DeliveryTotal> Totals()
    {
        lock (_lock)
        {
            var totals = new Dictionary<(string Transport, Policy Policy), (long Delivered, long Dropped)>(_left);
            foreach (var state in _all.Select(subscription => subscription.State))
            {
                var (delivered, dropped) = totals.GetValueOrDefault((state.Transport, state.Policy));
                totals[(state.Transport, state.Policy)] = (delivered + state.Delivered, dropped + state.Dropped);
            }

            return [.. totals.Select(total => new DeliveryTotal(
                total.Key.Transport, HubMeters.PolicyName(total.Key.Policy), total.Value.Delivered, total.Value.Dropped))];
        }
    }

    /// <summary>Counts again: subscriptions may have ended, or wait for the next match.</summary>
    public void Recount()
    {
        lock (_lock)
        {
            Count();
        }
    }

    /// <summary>Another match begins, in which nobody has played yet.</summary>
    public void Begin()
    {
        lock (_lock)
        {
            _played.Clear();
            _runs = true;
        }
    }

    /// <summary>The match is over: agents that leave now leave no side deserted.</summary>
    public void End()
    {
        lock (_lock)
        {
            _runs = false;
        }
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

    /// <summary>An agent stopped playing its side: it left, or ended its stream.</summary>
    public void StoppedPlaying(Subscription subscription, uint side, string how)
    {
        if (Volatile.Read(ref _runs))
        {
            events.Left(subscription, side, perspectives.NewestStep(side), how);
            CheckPlayed(side);
        }
    }

    /// <summary>An agent reports what it measured.</summary>
    public void Report(in TimesReport report) => events.Report(report);

    /// <summary>An agent plays a side.</summary>
    public void Plays(uint side)
    {
        lock (_lock)
        {
            _played.Add(side);
        }
    }

    /// <summary>Whether agents played a side in the match that runs, and none does any more.</summary>
    public bool IsAbandoned(uint side)
    {
        lock (_lock)
        {
            return _runs && _played.Contains(side) && !_all.Any(one => one.Plays == side);
        }
    }

    /// <summary>See <see cref="Hub.WaitForSubscribersAsync"/>.</summary>
    public Task WaitAsync(int count, CancellationToken ct)
    {
        lock (_lock)
        {
            if (_external >= count)
            {
                return Task.CompletedTask;
            }

            var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _awaited.Add((count, reached));
            return reached.Task.WaitAsync(ct);
        }
    }

    private static int Rank(Subscription subscription) => subscription switch
    {
        { Info.Internal: true } => 5,
        { Policy: Policy.Lockstep } => Compresses(subscription) ? 1 : 0,
        { Info.DeliverInline: true } => Compresses(subscription) ? 3 : 2,
        _ => 4,
    };

    private static bool Compresses(Subscription subscription) => subscription.Info.OnOffered is not null;

    private void CheckPlayed(uint side)
    {
        if (IsAbandoned(side))
        {
            events.Abandon(side);
        }
    }

    // Under the lock.
    private void Count()
    {
        _external = _all.Count(subscription => subscription is { Info.Internal: false, HasEnded: false });
        foreach (var (_, reached) in _awaited.Where(awaited => awaited.Count <= _external))
        {
            reached.TrySetResult();
        }

        _awaited = [.. _awaited.Where(awaited => awaited.Count > _external)];
    }
}
