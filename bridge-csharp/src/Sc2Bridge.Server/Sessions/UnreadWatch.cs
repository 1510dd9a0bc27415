using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>Cuts off clients that leave a message unread after their subscription has ended.</summary>
/// <remarks>
/// While the subscription runs, a client may stop reading, and its policy decides what happens. One watch for each connection, so that
/// no write needs a timer.
/// </remarks>
internal static class UnreadWatch
{
    // For a client that held more memory than any other: it gets its reason if it reads at all.
    private static readonly TimeSpan CutOffPatience = TimeSpan.FromSeconds(5);

    /// <summary>How long the client of an ended subscription may leave a message unread.</summary>
    /// <param name="subscription">The client's.</param>
    /// <param name="patience">The usual time. A client that was cut off for memory gets five seconds.</param>
    public static TimeSpan PatienceFor(Subscription subscription, TimeSpan patience) =>
        subscription.IsCutOff && patience > CutOffPatience ? CutOffPatience : patience;

    /// <summary>Waits until the subscription has ended, and then until a write takes too long: then it cuts the client off.</summary>
    /// <param name="writer">Writes to the client.</param>
    /// <param name="subscription">The client's.</param>
    /// <param name="patience">How long one write may take then.</param>
    /// <param name="logger">Logs it.</param>
    /// <param name="ended">The session has ended.</param>
    public static async Task CutAsync(
        ClientWriter writer, Subscription subscription, TimeSpan patience, ILogger logger, CancellationToken ended)
    {
        try
        {
            await subscription.EndedAsync().WaitAsync(ended);
            var step = patience < CutOffPatience ? patience : CutOffPatience;
            var (begun, unread) = (writer.Begun, TimeSpan.Zero);
            while (true)
            {
                // In short steps: the subscription may be cut off for memory meanwhile.
                await Task.Delay(step, ended);
                unread += step;
                if (writer.Done >= begun)
                {
                    (begun, unread) = (writer.Begun, TimeSpan.Zero);
                }
                else if (unread >= PatienceFor(subscription, patience))
                {
                    ServerLog.UnreadCut(logger, subscription.Name);
                    writer.Abort();
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
