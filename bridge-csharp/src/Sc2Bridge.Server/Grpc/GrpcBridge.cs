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

/// <summary><c>sc2bridge.v1.BridgeService</c> on the hub; bridge.proto says what each call means.</summary>
internal sealed class GrpcBridge(
    Hub hub,
    BridgeCalls calls,
    SharedCompression shared,
    BridgeServerOptions options,
    ConnectionAdmission admission,
    IHostApplicationLifetime lifetime,
    ILogger<GrpcBridge> logger) : GrpcBridgeBase
{
    public override async Task<HelloResponse> Hello(HelloRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        return calls.Hello(request);
    }

    public override async Task<DescribeResponse> Describe(DescribeRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        using var ended = EndOf(context);
        return await calls.DescribeAsync(request, IdentityOf(context), ended.Token);
    }

    public override async Task Play(
        IAsyncStreamReader<PlayRequest> messages, IServerStreamWriter<StreamMessage> events, ServerCallContext context)
    {
        var first = await FirstAsync(messages, context);
        await AdmitAsync(context);
        var request = first?.Subscribe ?? throw Refusal("The first message of Play is 'subscribe'.");
        hub.Permit(request, IdentityOf(context));
        await StreamAsync(request, first.RequestId, messages, events, context);
    }

    public override async Task<CallGameResponse> CallGame(CallGameRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        using var ended = EndOf(context);
        using var turn = await OfConnection(context).TakeTurnAsync(ended.Token);
        return await calls.CallGameAsync(request, own: null, IdentityOf(context), ended.Token);
    }

    public override async Task<ControlResponse> Control(ControlRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        return calls.Control(request, own: null, IdentityOf(context));
    }

    public override async Task<StatusResponse> Status(StatusRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        return calls.Status(request, own: null, IdentityOf(context));
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
    private async Task<PlayRequest?> FirstAsync(IAsyncStreamReader<PlayRequest> messages, ServerCallContext context)
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
        uint requestId,
        IAsyncStreamReader<PlayRequest> messages,
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
        await stream.RunAsync(requestId, messages);
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
