using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Encodings.SharedMemory;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Writes the hub's deliveries to one client, up to the last event, and then closes the connection.</summary>
/// <param name="subscription">The client's subscription.</param>
/// <param name="messages">Encodes the messages of the subscription.</param>
/// <param name="channel">The client's connection.</param>
/// <param name="writer">Writes to the channel.</param>
/// <param name="memory">The client's shared memory; null if it has none.</param>
/// <param name="unreadTimeout">How long the client may leave a message unread after its subscription has ended.</param>
internal sealed class FrameLoop(
    Subscription subscription, FrameMessages messages, IMessageChannel channel, SessionWriter writer, SharedWindow? memory,
    TimeSpan unreadTimeout)
{
    // How long an agent may take to report the times of its last step. At the end of a match, an agent may still have to process queued frames.
    private static readonly TimeSpan ReportTimeout = TimeSpan.FromMinutes(5);

    // How long an agent that reports no times may take to close its direction.
    private static readonly TimeSpan EndGrace = TimeSpan.FromSeconds(1);

    private bool _agentKeepsTooMuch;

    /// <summary>
    /// Writes until the last event. One method does everything, because each further async method would allocate memory
    /// for every frame.
    /// </summary>
    /// <param name="descriptions">The descriptions that the client requested before it subscribed. They are sent first.</param>
    /// <param name="clientLeft">Cancelled when the client has closed its direction.</param>
    /// <param name="ended">Cancelled when the session has ended.</param>
    public async Task RunAsync(Task descriptions, CancellationToken clientLeft, CancellationToken ended)
    {
        if (memory is not null)
        {
            memory.SetPolicy(subscription.Policy);
            memory.OnFull = () => _agentKeepsTooMuch = true;
        }

        await descriptions;
        bool isLast;
        do
        {
            if (subscription.Policy == Policy.Latest)
            {
                await subscription.WaitUntilReadyAsync(ended);
                await channel.WaitUntilSentAsync(subscription, ended);
            }

            if (memory?.WaitForRoomAsync(ended) is { IsCompletedSuccessfully: false } waiting)
            {
                await await Task.WhenAny(waiting, subscription.WaitForEndAsync());
            }

            var delivery = await subscription.ReadAsync(ended);
            isLast = delivery.IsLast;
            try
            {
                if (delivery.Frame is not null)
                {
                    var message = messages.Encode(delivery);
                    subscription.CountSent(message.Length);
                    memory?.CountSent();
                    await writer.SendAsync(message, messages.IsCompressed);
                    if (_agentKeepsTooMuch)
                    {
                        _agentKeepsTooMuch = false;
                        await writer.SendAsync(KeepsTooMuchNotice());
                    }
                }
                else if (isLast)
                {
                    messages.Dispose();
                    await CloseAfterLastEventAsync(delivery.Event!, clientLeft);
                }
                else
                {
                    await writer.SendAsync(delivery.Event!);
                }
            }
            finally
            {
                messages.OnWritten();
                delivery.Release();
            }
        }
        while (!isLast);
    }

    private static PlayResponse KeepsTooMuchNotice() => new()
    {
        Error = new Error
        {
            Code = StatusCode.ResourceExhausted,
            Message = $"This agent keeps {SharedWindow.MostHeld} frames of shared memory, so the bridge sends further frames over "
                + "the socket until the agent releases some. Copy the arrays that you keep.",
        },
    };

    // Frames may still be in the socket's buffers, and an abort would lose them. So the client gets the long unread
    // timeout to read them.
    private async Task CloseAfterLastEventAsync(PlayResponse lastEvent, CancellationToken clientLeft)
    {
        if (lastEvent.Error is not null)
        {
            await writer.FailAsync(lastEvent, UnreadWatch.PatienceFor(subscription, unreadTimeout));
            return;
        }

        await writer.SendAsync(lastEvent);
        writer.IsMatchEndWritten = true;
        await subscription.WaitForLastTimesAsync().WaitAsync(ReportTimeout, clientLeft).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.Delay(EndGrace, clientLeft).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await writer.CloseAsync("The match has ended.", UnreadWatch.PatienceFor(subscription, unreadTimeout));
    }
}
