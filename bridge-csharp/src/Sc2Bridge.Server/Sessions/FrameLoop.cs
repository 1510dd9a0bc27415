using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Encodings.SharedMemory;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Writes what the hub delivers to one client, up to the last event and the close.</summary>
/// <param name="subscription">The client's.</param>
/// <param name="messages">Makes its messages.</param>
/// <param name="channel">Takes them.</param>
/// <param name="writer">Writes them there.</param>
/// <param name="memory">The memory that the client shares with the bridge; null: none.</param>
/// <param name="unreadTimeout">How long the client may leave a message unread after its subscription has ended.</param>
internal sealed class FrameLoop(
    Subscription subscription, FrameMessages messages, IMessageChannel channel, SessionWriter writer, SharedWindow? memory,
    TimeSpan unreadTimeout)
{
    // For an agent that reports times: it may still be busy with frames that it holds.
    private static readonly TimeSpan LongestReport = TimeSpan.FromMinutes(5);

    // For an agent that reports no times, to end its side.
    private static readonly TimeSpan Moment = TimeSpan.FromSeconds(1);

    private bool _keepsTooMuch;

    /// <summary>Writes until the last event. One method for the whole stream: each further one would allocate for every frame.</summary>
    /// <param name="descriptions">Those that the client asked for before it subscribed: it gets them first.</param>
    /// <param name="left">The client has ended its side.</param>
    /// <param name="ended">The session has ended.</param>
    public async Task RunAsync(Task descriptions, CancellationToken left, CancellationToken ended)
    {
        if (memory is not null)
        {
            memory.Follow(subscription.Policy);
            memory.Full = () => _keepsTooMuch = true;
        }

        await descriptions;
        bool isLast;
        do
        {
            if (subscription.Policy == Policy.Latest)
            {
                await subscription.ReadyAsync(ended);
                await channel.ClearAsync(subscription, ended);
            }

            if (memory?.RoomAsync(ended) is { IsCompletedSuccessfully: false } room)
            {
                await await Task.WhenAny(room, subscription.EndedAsync());
            }

            var delivery = await subscription.ReadAsync(ended);
            isLast = delivery.IsLast;
            try
            {
                if (delivery.Frame is not null)
                {
                    var message = messages.Encode(delivery);
                    subscription.Sent(message.Length);
                    memory?.Sent();
                    await writer.SendAsync(message, messages.IsCompressed);
                    if (_keepsTooMuch)
                    {
                        _keepsTooMuch = false;
                        await writer.SendAsync(KeepsTooMuch());
                    }
                }
                else if (isLast)
                {
                    messages.Dispose();
                    await CloseAfterAsync(delivery.Event!, left);
                }
                else
                {
                    await writer.SendAsync(delivery.Event!);
                }
            }
            finally
            {
                messages.Written();
                delivery.Release();
            }
        }
        while (!isLast);
    }

    private static PlayResponse KeepsTooMuch() => new()
    {
        Error = new Error
        {
            Code = StatusCode.ResourceExhausted,
            Message = $"This agent keeps {SharedWindow.MostHeld} frames of shared memory: what it gets from now on is copied to it "
                + "while it does. Copy the arrays that you keep.",
        },
    };

    // Frames may still wait in the socket's buffers, and aborting would lose them: the client has as long as an agent
    // may take to think.
    private async Task CloseAfterAsync(PlayResponse last, CancellationToken left)
    {
        if (last.Error is not null)
        {
            await writer.FailAsync(last, UnreadWatch.PatienceFor(subscription, unreadTimeout));
            return;
        }

        await writer.SendAsync(last);
        writer.IsComplete = true;
        await subscription.LastTimesAsync().WaitAsync(LongestReport, left).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.Delay(Moment, left).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await writer.CloseAsync("The match has ended.", UnreadWatch.PatienceFor(subscription, unreadTimeout));
    }
}
