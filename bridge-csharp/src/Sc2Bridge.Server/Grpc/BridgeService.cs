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
    SharedCompression shared,
    BridgeServerOptions options,
    Authentication authentication,
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
        if (request.Policy == Policy.Lockstep)
        {
            throw Refusal("POLICY_LOCKSTEP waits for answers, and Subscribe carries none: call Play.");
        }

        if (request.CanAct)
        {
            throw Refusal("Who plays sends actions, and Subscribe carries none: call Play.");
        }

        await StreamAsync(request, messages: null, events, IdentityOf(context), context);
    }

    public override async Task Play(
        IAsyncStreamReader<AgentMessage> messages, IServerStreamWriter<StreamMessage> events, ServerCallContext context)
    {
        var identity = IdentityOf(context);
        using var ended = EndOf(context);
        var first = await messages.MoveNext(ended.Token) ? messages.Current : null;
        await AdmitAsync(context);
        await StreamAsync(
            first?.Subscribe ?? throw Refusal("The first message of Play is 'subscribe'."), messages, events,
            identity, context);
    }

    public override async Task<GameResponse> Request(GameRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        var identity = IdentityOf(context);
        if (request.Request is null)
        {
            throw Refusal("GameRequest.request is empty: say what to ask the game.");
        }

        using var ended = EndOf(context);
        using var turn = await OfConnection(context).TakeTurnAsync(ended.Token);
        var response = await hub.CurrentMatch.RequestAsync(request, request.Agent, identity, ended.Token);
        return new GameResponse { Tag = request.Tag, Response = response };
    }

    public override async Task<PlaybackState> Control(ControlRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        return hub.CurrentMatch.Control(request, IdentityOf(context));
    }

    private static RpcException Refusal(string why) => new(new Status(StatusCode.InvalidArgument, why));

    private Identity IdentityOf(ServerCallContext context) => authentication.Identify(context.GetHttpContext());

    private ConnectionLimiter OfConnection(ServerCallContext context) => ConnectionLimiter.Of(context.GetHttpContext(), hub);

    private async ValueTask AdmitAsync(ServerCallContext context)
    {
        await admission.ReadMessageAsync(context.GetHttpContext().Connection.RemoteIpAddress, context.CancellationToken);
        OfConnection(context).Admit();
    }

    private CancellationTokenSource EndOf(ServerCallContext context) =>
        CancellationTokenSource.CreateLinkedTokenSource(context.CancellationToken, lifetime.ApplicationStopping);

    private async Task StreamAsync(
        SubscribeRequest request,
        IAsyncStreamReader<AgentMessage>? messages,
        IServerStreamWriter<StreamMessage> events,
        Identity identity,
        ServerCallContext context)
    {
        var address = context.GetHttpContext().Connection.RemoteIpAddress;
        using var place = admission.Subscribe(address, out var refusal)
            ?? throw new RpcException(new Status(StatusCode.ResourceExhausted, refusal!.Message));

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
                Identity: identity));
        using var stopped = StopOf(context);
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
