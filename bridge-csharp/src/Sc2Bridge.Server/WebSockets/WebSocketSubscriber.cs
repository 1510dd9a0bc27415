using System.Net.WebSockets;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Encodings.SharedMemory;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Writes what the hub delivers to one client, up to the last event and the close.</summary>
/// <param name="subscription">The client's.</param>
/// <param name="messages">Makes its messages; disposed after the last.</param>
/// <param name="sender">Writes them.</param>
/// <param name="closer">Ends the session after the last event.</param>
/// <param name="socket">Aborted where writing fails.</param>
/// <param name="memory">The memory that the client shares with the bridge; null: none.</param>
/// <param name="services">What all sessions share.</param>
internal sealed class WebSocketSubscriber(
    Subscription subscription,
    FrameMessages messages,
    WebSocketMessageWriter sender,
    SessionCloser closer,
    WebSocket socket,
    SharedWindow? memory,
    SessionServices services)
{
    /// <summary>Writes until the last event, or the session's end.</summary>
    /// <param name="descriptions">Those that the client asked for before it subscribed: it gets them first.</param>
    /// <param name="ended">The session has ended.</param>
    public async Task RunAsync(Task descriptions, CancellationToken ended)
    {
        try
        {
            // A client that asked for the description first gets it before the first frame; both wait for the same
            // match.
            await descriptions;
            while (true)
            {
                if (subscription.Policy == Policy.Latest)
                {
                    await subscription.ReadyAsync(ended);
                    await sender.ClearAsync(subscription, ended);
                }

                if (memory?.RoomAsync(ended) is { IsCompletedSuccessfully: false } room)
                {
                    await await Task.WhenAny(room, subscription.EndedAsync());
                }

                var delivery = await subscription.ReadAsync(ended);
                try
                {
                    if (delivery.Frame is { } frame)
                    {
                        await CrowdScheduler.AfterAgentsAsync(subscription, frame.Header, ended);
                        var message = messages.Encode(delivery);
                        subscription.Sent(message.Length);
                        memory?.Sent();
                        await sender.SendAsync(message, messages.IsCompressed);
                    }
                    else if (delivery.IsLast)
                    {
                        messages.Dispose();
                        await CloseAfterAsync(delivery.Event!, ended);
                    }
                    else
                    {
                        var said = delivery.Event!;
                        await sender.SendAsync(() => said);
                    }
                }
                finally
                {
                    messages.Written();
                    delivery.Release();
                }

                if (delivery.IsLast)
                {
                    return;
                }
            }
        }
        catch (Exception ending) when (WebSocketEnd.Is(ending))
        {
            // The reading task sees it too, and ends the session; aborting makes it end where only the writing failed.
            if (ending is not OperationCanceledException)
            {
                socket.Abort();
            }
        }
#pragma warning disable CA1031 // Whatever it is, a client that waits for frames must get an end.
        catch (Exception problem)
#pragma warning restore CA1031
        {
            var isKnown = problem is EncodingException;
            if (!isKnown)
            {
                ServerLog.SessionFailed(services.Logger, problem, subscription.Name);
            }

            await closer.FailAsync(StatusCode.Internal, isKnown ? problem.Message : $"The bridge failed: {problem.Message}");
        }
    }

    // Frames may still wait in the socket's buffers, and aborting would lose them: the client has as long as an agent
    // may take to think.
    private async Task CloseAfterAsync(PlayResponse last, CancellationToken ended)
    {
        var patience = UnreadWrites.PatienceFor(subscription, services.UnreadTimeout);
        if (last.EventCase == PlayResponse.EventOneofCase.Error)
        {
            await closer.FailAsync(last, patience);
            return;
        }

        await sender.SendAsync(() => last);
        await CloseGracePeriod.WaitAsync(subscription, Task.Delay(Timeout.Infinite, ended), ended);
        await closer.CloseAsync(WebSocketCloseStatus.NormalClosure, "The match has ended.", patience);
    }
}
