using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Subscribes the client of a session, and starts the loop that writes its frames.</summary>
/// <param name="channel">The client's.</param>
/// <param name="client">Who it is.</param>
/// <param name="services">What it subscribes to.</param>
/// <param name="writer">Writes to it.</param>
/// <param name="end">Gets the subscription.</param>
internal sealed class SessionSubscriber(
    IMessageChannel channel, SessionClient client, SessionServices services, SessionWriter writer, SessionEnd end)
{
    private IDisposable? _place;
    private FrameMessages? _messages;

    /// <summary>Completes when the last event is written, or the session has ended.</summary>
    public Task Writing { get; private set; } = Task.CompletedTask;

    /// <summary>Subscribes.</summary>
    /// <param name="request">What the client asks for.</param>
    /// <param name="requestId">Of its message.</param>
    /// <param name="descriptions">Answers that it asked for before: it gets them before the first frame.</param>
    /// <param name="left">The client has ended its side.</param>
    /// <exception cref="RequestRefusedException">It may not, or has subscribed before.</exception>
    public async Task SubscribeAsync(SubscribeRequest request, uint requestId, Task descriptions, CancellationToken left)
    {
        if (end.Subscription is not null)
        {
            throw new RequestRefusedException(
                StatusCode.FailedPrecondition,
                "This connection or stream has a subscription already; open another one for another subscription.");
        }

        services.Hub.Permit(request, client.Identity);
        _place = client.HasPlace ? null : await services.Admission.TakePlaceAsync(client.Address, end.Over);
        _messages = FrameMessages.For(request, channel.Form, services.Shared, client.Memory);

        // A message that is made quickly is written on the publisher's thread, which saves a hop between threads.
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

        _ = UnreadWatch.CutAsync(writer, subscription, services.UnreadTimeout, services.Logger, end.Over);
        await writer.SendAsync(new PlayResponse
        {
            RequestId = requestId,
            Subscribe = new SubscribeResponse { SessionId = subscription.SessionId, Name = subscription.Name },
        });

        // Not on the reading task's stack: a queue that is full already would keep it from reading.
        var frames = new FrameLoop(subscription, _messages, channel, writer, client.Memory, services.UnreadTimeout);
        Writing = end.GuardAsync(() => CrowdScheduler.ServeAsync(
            subscription, () => frames.RunAsync(descriptions, left, end.Over)));
    }

    /// <summary>Ends the subscription, and gives its place back.</summary>
    public void Leave()
    {
        end.Subscription?.Dispose();
        _place?.Dispose();
    }

    /// <summary>Waits until nothing more is written, and releases what the messages share.</summary>
    public async Task CompleteAsync()
    {
        await Writing;
        _messages?.Dispose();
    }
}
