using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>The subscriptions, in the order of their offers of a frame. Thread-safe.</summary>
/// <remarks>
/// Lockstep agents come first, so that they are released together; readers that take frames inline before readers that must be
/// woken, compressing readers after plain ones, and the bridge's own last, so that they delay no delivery. Coming and going cost the
/// same however many there are: the next caller makes the list again, at most once for a frame.
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
            _ranks[Rank(subscription)].AddLast(subscription.Place);
            Volatile.Write(ref _all, null);
        }
    }

    public void Remove(Subscription subscription)
    {
        lock (_lock)
        {
            subscription.Place.List?.Remove(subscription.Place);
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
