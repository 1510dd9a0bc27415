using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// The writes to one client. A client that leaves one unread after its subscription has ended is cut off. While the subscription
/// runs, a client may stop reading, and its policy decides what happens. One watch for each connection, so that no write needs a
/// timer. Thread-safe.
/// </summary>
internal sealed class UnreadWrites
{
    // For a client that held more memory than any other: it gets its reason if it reads at all.
    private static readonly TimeSpan CutOffPatience = TimeSpan.FromSeconds(5);

    private long _begun;
    private long _done;

    /// <summary>How long the client of an ended subscription may leave a message unread.</summary>
    /// <param name="subscription">The client's.</param>
    /// <param name="patience">The usual time. A client that was cut off for memory gets five seconds.</param>
    public static TimeSpan PatienceFor(Subscription subscription, TimeSpan patience) =>
        subscription.IsCutOff && patience > CutOffPatience ? CutOffPatience : patience;

    /// <summary>A write begins.</summary>
    public void Begin() => Interlocked.Increment(ref _begun);

    /// <summary>The write that began last is done, or has failed.</summary>
    public void End() => Interlocked.Increment(ref _done);

    /// <summary>Waits until the subscription has ended, and then until a write takes too long.</summary>
    /// <param name="subscription">The client's.</param>
    /// <param name="patience">How long one write may take then.</param>
    /// <param name="cut">Cuts the client off. Called at most once.</param>
    /// <param name="logger">Logs it.</param>
    /// <param name="done">The client is gone, or everything was written.</param>
    public async Task WatchAsync(Subscription subscription, TimeSpan patience, Action cut, ILogger logger, CancellationToken done)
    {
        try
        {
            await subscription.EndedAsync().WaitAsync(done);
            var step = patience < CutOffPatience ? patience : CutOffPatience;
            var (begun, unread) = (Volatile.Read(ref _begun), TimeSpan.Zero);
            while (true)
            {
                // In short steps: the subscription may be cut off for memory meanwhile.
                await Task.Delay(step, done);
                unread += step;
                if (Volatile.Read(ref _done) >= begun)
                {
                    (begun, unread) = (Volatile.Read(ref _begun), TimeSpan.Zero);
                }
                else if (unread >= PatienceFor(subscription, patience))
                {
                    ServerLog.UnreadCut(logger, subscription.Name);
                    cut();
                    return;
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The last write is over.
        }
    }
}
