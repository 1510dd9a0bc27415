using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Subscribes the client of a session, and starts the loop that writes its frames.</summary>
/// <param name="channel">The client's connection.</param>
/// <param name="client">The client.</param>
/// <param name="services">Contains the hub.</param>
/// <param name="writer">Writes to the client.</param>
/// <param name="end">Ends the session. Receives the new subscription.</param>
internal sealed class SessionSubscriber(
    IMessageChannel channel, SessionClient client, SessionServices services, SessionWriter writer, SessionEnd end)
{
    private IDisposable? _place;
    private FrameMessages? _messages;

    /// <summary>Completes when the last event is written, or the session has ended.</summary>
    public Task Writing { get; private set; } = Task.CompletedTask;

    /// <summary>Subscribes.</summary>
    /// <param name="request">The client's request.</param>
    /// <param name="requestId">The request id of the client's message.</param>
    /// <param name="descriptions">Answers to the client's earlier description requests. They are sent before the first frame.</param>
    /// <param name="clientLeft">Cancelled when the client has closed its direction.</param>
    /// <exception cref="RequestRefusedException">The client may not subscribe, or already has a subscription.</exception>
    public async Task SubscribeAsync(SubscribeRequest request, uint requestId, Task descriptions, CancellationToken clientLeft)
    {
        if (end.Subscription is not null)
        {
            throw new RequestRefusedException(
                StatusCode.FailedPrecondition,
                "This connection or stream already has a subscription: open another connection or stream for another subscription.");
        }

        services.Hub.CheckPermission(request, client.Identity);
        _place = client.HasPlace ? null : await services.Admission.ReservePlaceAsync(client.Address, end.Ended);
        _messages = FrameMessages.For(request, channel.Form, services.Compression, client.Memory);

        // Messages that are encoded quickly are written on the thread that publishes the frame, which saves a thread switch.
        var subscription = services.Hub.Subscribe(
            request,
            new SubscriberInfo(
                channel.Transport, _messages.IsDirect && (!channel.Compresses || _messages.IsCompressed),
                OnOffered: _messages.OnOffered, TransportBytes: BridgeServer.SubscriberBytes, Identity: client.Identity));
        end.Subscription = subscription;
        if (writer.IsClosing)
        {
            // Another task ended the session before it had a subscription.
            subscription.Drop(StatusCode.Unavailable, "The session has ended.");
        }

        _ = UnreadWatch.DisconnectUnreadAsync(writer, subscription, services.UnreadTimeout, services.Logger, end.Ended);
        await writer.SendAsync(new PlayResponse
        {
            RequestId = requestId,
            Subscribe = new SubscribeResponse { SessionId = subscription.SessionId, Name = subscription.Name },
        });

        // The loop runs on another thread. Otherwise the task that reads would first have to write all queued frames.
        var frames = new FrameLoop(subscription, _messages, channel, writer, client.Memory, services.UnreadTimeout);
        Writing = end.RunGuardedAsync(() => CrowdScheduler.ServeAsync(
            subscription, () => frames.RunAsync(descriptions, clientLeft, end.Ended)));
    }

    /// <summary>Ends the subscription, and frees its place.</summary>
    public void EndSubscription()
    {
        end.Subscription?.Dispose();
        _place?.Dispose();
    }

    /// <summary>Waits until the last message is written, and releases the state that the messages share with other subscriptions.</summary>
    public async Task CompleteAsync()
    {
        await Writing;
        _messages?.Dispose();
    }
}
