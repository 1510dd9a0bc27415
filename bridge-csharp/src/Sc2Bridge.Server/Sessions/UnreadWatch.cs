using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>Disconnects clients that leave a message unread after their subscription has ended.</summary>
/// <remarks>
/// While the subscription runs, a client may stop reading, and the subscription's policy decides what happens. Each
/// connection has one watch, so that writes need no timers.
/// </remarks>
internal static class UnreadWatch
{
    // The time limit for a client that was cut off because it used more memory than any other client. The client gets
    // the reason only if it reads within this time.
    private static readonly TimeSpan CutOffPatience = TimeSpan.FromSeconds(5);

    /// <summary>How long the client of an ended subscription may leave a message unread.</summary>
    /// <param name="subscription">The client's subscription.</param>
    /// <param name="patience">The usual time. A client that was cut off because of memory gets at most five seconds.</param>
    public static TimeSpan PatienceFor(Subscription subscription, TimeSpan patience) =>
        subscription.IsCutOff && patience > CutOffPatience ? CutOffPatience : patience;

    /// <summary>After the subscription has ended, disconnects the client as soon as one write takes too long.</summary>
    /// <param name="writer">Writes to the client.</param>
    /// <param name="subscription">The client's subscription.</param>
    /// <param name="patience">How long one write may take after the end of the subscription.</param>
    /// <param name="logger">Logs the disconnect.</param>
    /// <param name="ended">Cancelled when the session has ended.</param>
    public static async Task DisconnectUnreadAsync(
        ClientWriter writer, Subscription subscription, TimeSpan patience, ILogger logger, CancellationToken ended)
    {
        try
        {
            await subscription.WaitForEndAsync().WaitAsync(ended);
            var interval = patience < CutOffPatience ? patience : CutOffPatience;
            var (begun, unreadTime) = (writer.WritesBegun, TimeSpan.Zero);
            while (true)
            {
                // The delays are short, because the time limit gets shorter if the subscription is cut off for memory in the meantime.
                await Task.Delay(interval, ended);
                unreadTime += interval;
                if (writer.WritesDone >= begun)
                {
                    (begun, unreadTime) = (writer.WritesBegun, TimeSpan.Zero);
                }
                else if (unreadTime >= PatienceFor(subscription, patience))
                {
                    ServerLog.UnreadCut(logger, subscription.Name);
                    writer.Abort();
                    return;
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The session has ended.
        }
    }
}
