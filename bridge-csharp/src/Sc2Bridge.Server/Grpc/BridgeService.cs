using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server;

/// <summary><c>sc2bridge.v1.Bridge</c> on the hub; bridge.proto says what each call means.</summary>
internal sealed class BridgeService(
    Hub hub,
    StatusOfBridge status,
    SharedCompression shared,
    BridgeServerOptions options,
    ConnectionAdmission admission,
    IHostApplicationLifetime lifetime,
    ILogger<BridgeService> logger) : BridgeServiceBase
{
    public override async Task<MatchDescription> Describe(DescribeRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        using var ended = EndOf(context);
        return await hub.CurrentMatch.DescribeAsync(request, IdentityOf(context), ended.Token);
    }

    public override async Task Subscribe(
        SubscribeRequest request, IServerStreamWriter<StreamMessage> events, ServerCallContext context)
    {
        await AdmitAsync(context);
        hub.Permit(request, IdentityOf(context));
        if (request.Policy == Policy.Lockstep)
        {
            throw Refusal("POLICY_LOCKSTEP waits for answers, and Subscribe carries none: call Play.");
        }

        if (request.CanAct)
        {
            throw Refusal("Who plays sends actions, and Subscribe carries none: call Play.");
        }

        await StreamAsync(request, messages: null, events, context);
    }

    public override async Task Play(
        IAsyncStreamReader<AgentMessage> messages, IServerStreamWriter<StreamMessage> events, ServerCallContext context)
    {
        var first = await FirstAsync(messages, context);
        await AdmitAsync(context);
        var request = first?.Subscribe ?? throw Refusal("The first message of Play is 'subscribe'.");
        hub.Permit(request, IdentityOf(context));
        await StreamAsync(request, messages, events, context);
    }

    public override async Task<GameResponse> Request(GameRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        using var ended = EndOf(context);
        using var turn = await OfConnection(context).TakeTurnAsync(ended.Token);
        var response = await hub.CurrentMatch.RequestAsync(request, request.Agent, IdentityOf(context), ended.Token);
        return new GameResponse { Tag = request.Tag, Response = response };
    }

    public override async Task<PlaybackState> Control(ControlRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        return hub.CurrentMatch.Control(request, IdentityOf(context));
    }

    public override async Task<BridgeStatus> Status(StatusRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        return status.Answer(request, IdentityOf(context));
    }

    private static RpcException Refusal(string why) => new(new Status(StatusCode.InvalidArgument, why));

    private static Identity IdentityOf(ServerCallContext context) => Authentication.IdentityOf(context.GetHttpContext());

    private ConnectionLimiter OfConnection(ServerCallContext context) => ConnectionLimiter.Of(context.GetHttpContext(), hub);

    private async ValueTask AdmitAsync(ServerCallContext context)
    {
        await admission.ReadMessageAsync(context.GetHttpContext().Connection.RemoteIpAddress, context.CancellationToken);
        OfConnection(context).Admit();
    }

    private CancellationTokenSource EndOf(ServerCallContext context) =>
        CancellationTokenSource.CreateLinkedTokenSource(context.CancellationToken, lifetime.ApplicationStopping);

    // Null where the client has ended its side.
    private async Task<AgentMessage?> FirstAsync(IAsyncStreamReader<AgentMessage> messages, ServerCallContext context)
    {
        var patience = admission.Limits.IdleTimeout;
        using var ended = EndOf(context);
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ended.Token);
        late.CancelAfter(patience);
        try
        {
            return await messages.MoveNext(late.Token) ? messages.Current : null;
        }
        catch (OperationCanceledException) when (!ended.IsCancellationRequested)
        {
            throw new RpcException(new Status(
                StatusCode.DeadlineExceeded, $"No first message came within {patience.TotalSeconds} s: 'subscribe', and stay."));
        }
    }

    private async Task StreamAsync(
        SubscribeRequest request,
        IAsyncStreamReader<AgentMessage>? messages,
        IServerStreamWriter<StreamMessage> events,
        ServerCallContext context)
    {
        var address = context.GetHttpContext().Connection.RemoteIpAddress;
        using var stopped = StopOf(context);

        // The subscription goes first, so that nothing is offered any more when the messages go.
        using var frames = FrameMessages.For(request, MessageForm.Proto, shared);
        var gzips = !frames.IsCompressed && GrpcCompression.IsOn(context);
        if (!gzips)
        {
            GrpcCompression.TurnOff(context);
        }

        // A message that is made quickly is written on the publisher's thread, which saves a hop between threads.
        using var subscription = hub.Subscribe(
            request,
            new SubscriberInfo(
                "grpc", DeliverInline: frames.IsDirect && !gzips, OnOffered: frames.OnOffered,
                TransportBytes: BridgeServer.SubscriberBytes, Identity: IdentityOf(context)));
        using var writer = new GrpcMessageWriter(
            events, context.GetHttpContext(), subscription, options.UnreadTimeout, logger);
        using var stream = new GrpcSubscriber(
            subscription, frames, writer, ct => admission.ReadMessageAsync(address, ct), stopped.Token);
        await context.WriteResponseHeadersAsync(Metadata.Empty);
        await stream.RunAsync(messages);
    }

    // After a deadline the call's own token waits until the last bytes are read: a client that reads nothing would
    // never be cut off.
    private CancellationTokenSource StopOf(ServerCallContext context)
    {
        var stopped = EndOf(context);
        var left = context.Deadline == DateTime.MaxValue ? TimeSpan.MaxValue : context.Deadline - DateTime.UtcNow;
        if (left < TimeSpan.FromDays(1))
        {
            stopped.CancelAfter((left > TimeSpan.Zero ? left : TimeSpan.Zero) + TimeSpan.FromSeconds(1));
        }

        return stopped;
    }
}
