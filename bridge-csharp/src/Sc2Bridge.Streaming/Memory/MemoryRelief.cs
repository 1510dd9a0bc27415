namespace Sc2Bridge.Streaming;

/// <summary>Brings the memory of subscribers below the ceiling again.</summary>
/// <param name="memory">The memory in use.</param>
/// <param name="subscriptions">The subscribers.</param>
internal sealed class MemoryRelief(MemoryLedger memory, SubscriptionRegistry subscriptions)
{
    private readonly Lock _lock = new();

    /// <summary>
    /// First evicts encodings, because frames can make them again. If the memory is still over the ceiling, ends the subscribers
    /// that use the most memory. Some of their memory is freed later, when the transport aborts a write that the client does not read.
    /// </summary>
    public void Relieve()
    {
        lock (_lock)
        {
            memory.Encodings.EvictOldest();
            if (!memory.IsOverCeiling)
            {
                return;
            }

            var behind = subscriptions.Order.All.Where(subscription => !subscription.Info.Internal)
                .Select(subscription => (Subscription: subscription, Held: subscription.Core.Reader.HeldBytesIfBehind)).Where(one => one.Held > 0).ToList();
            var tooMuch = memory.Excess - behind.Where(one => one.Subscription.IsCutOff).Sum(one => one.Held);
            foreach (var (subscription, held) in behind.Where(one => !one.Subscription.IsCutOff).OrderByDescending(one => one.Held))
            {
                if (tooMuch <= 0)
                {
                    return;
                }

                subscription.Core.CutOff(memory.Ceiling);
                tooMuch -= held;
            }
        }
    }
}
