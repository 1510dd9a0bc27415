namespace Sc2Bridge.Streaming;

/// <summary>Gets what is held for subscribers below the ceiling again.</summary>
/// <param name="memory">What is held.</param>
/// <param name="subscriptions">For whom.</param>
internal sealed class MemoryRelief(MemoryLedger memory, SubscriptionRegistry subscriptions)
{
    private readonly Lock _lock = new();

    /// <summary>
    /// Gives up encodings, which can be made again; then ends those subscribers that hold most, until what they hold is as
    /// much as is held too much. Some of it comes back only when the write that they leave unread is cut off.
    /// </summary>
    public void Relieve()
    {
        lock (_lock)
        {
            memory.Encodings.GiveUp();
            if (!memory.IsOver)
            {
                return;
            }

            var behind = subscriptions.Order.All.Where(subscription => !subscription.Info.Internal)
                .Select(subscription => (Subscription: subscription, Held: subscription.Core.Reader.HeldBehind)).Where(one => one.Held > 0).ToList();
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
