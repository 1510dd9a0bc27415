using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Orders the subscriptions: the hub offers each frame to them in this order. Thread-safe.</summary>
/// <remarks>
/// Lockstep agents come first, so that they are released together. Then come subscribers whose frames are written on
/// the publishing thread, then subscribers whose own task must be woken. In each of the first two ranks, subscribers
/// that compress come last. The bridge's own subscribers come last of all, so that they delay no delivery. Adding and
/// removing take constant time: only the next read of <see cref="All"/> rebuilds the array.
/// </remarks>
internal sealed class OfferOrder
{
    private readonly Lock _lock = new();
    private readonly LinkedList<Subscription>[] _ranks = [.. Enumerable.Range(0, 6).Select(_ => new LinkedList<Subscription>())];
    private Subscription[]? _all = [];

    /// <summary>An immutable snapshot.</summary>
    public Subscription[] All
    {
        get
        {
            if (Volatile.Read(ref _all) is { } all)
            {
                return all;
            }

            lock (_lock)
            {
                return _all ??= [.. _ranks.SelectMany(rank => rank)];
            }
        }
    }

    public void Add(Subscription subscription)
    {
        lock (_lock)
        {
            _ranks[Rank(subscription)].AddLast(subscription.RegistryNode);
            Volatile.Write(ref _all, null);
        }
    }

    public void Remove(Subscription subscription)
    {
        lock (_lock)
        {
            subscription.RegistryNode.List?.Remove(subscription.RegistryNode);
            Volatile.Write(ref _all, null);
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
}
