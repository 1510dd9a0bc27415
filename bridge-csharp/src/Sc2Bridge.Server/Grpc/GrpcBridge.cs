using Google.Protobuf;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server;

/// <summary>Implements <c>sc2bridge.v1.BridgeService</c> with the hub; bridge.proto documents each call.</summary>
[BindServiceMethod(typeof(BridgeMethods), nameof(BridgeMethods.Bind))]
#pragma warning disable CA1852 // The gRPC server calls virtual methods only.
internal class GrpcBridge(SessionServices services, IHostApplicationLifetime lifetime)
#pragma warning restore CA1852
{
    public virtual async Task<HelloResponse> Hello(HelloRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        return services.Calls.Hello(request);
    }

    public virtual async Task<DescribeResponse> Describe(DescribeRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        var held = HoldRequest(request, context);
        using var ended = CancelledAtEndOf(context);
        return await held.ChargeDescriptionAsync(await services.Calls.DescribeAsync(request, IdentityOf(context), ended.Token), ended.Token);
    }

    public virtual async Task Play(
        IAsyncStreamReader<PlayRequest> messages, IServerStreamWriter<StreamMessage> events, ServerCallContext context)
    {
        GrpcCompression.Choose(context);
        using var gone = CancelledWhenGone(context);
        using var channel = new PlayChannel(messages, events, context);
        var address = context.GetHttpContext().Connection.RemoteIpAddress;
        var client = new SessionClient(IdentityOf(context), address, LimiterOf(context).AdmitCall, HasPlace: true);
        using (var session = new AgentSession(channel, client, services))
        {
            await session.RunAsync(lifetime.ApplicationStopping, gone.Token);
        }

        if (channel.Status.StatusCode != StatusCode.OK)
        {
            throw new RpcException(channel.Status);
        }
    }

    public virtual async Task<CallGameResponse> CallGame(CallGameRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        var held = HoldRequest(request, context);
        using var ended = CancelledAtEndOf(context);
        return await services.Calls.CallGameAsync(request, own: null, IdentityOf(context), held, ended.Token);
    }

    public virtual async Task<ControlResponse> Control(ControlRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        return services.Calls.Control(request, own: null, IdentityOf(context));
    }

    public virtual async Task<StatusResponse> Status(StatusRequest request, ServerCallContext context)
    {
        await AdmitAsync(context);
        return services.Calls.Status(request, own: null, IdentityOf(context));
    }

    private static Identity IdentityOf(ServerCallContext context) => Authentication.IdentityOf(context.GetHttpContext());

    private ConnectionLimiter LimiterOf(ServerCallContext context) => ConnectionLimiter.Of(context.GetHttpContext(), services);

    private async ValueTask AdmitAsync(ServerCallContext context)
    {
        await services.Admission.MessageRate.WaitAsync(context.GetHttpContext().Connection.RemoteIpAddress, context.CancellationToken);
        LimiterOf(context).AdmitCall();
    }

    // The limits count this request until its answer is sent. UnreadAnswers keeps the call open until then.
    private HeldRequest HoldRequest(IMessage request, ServerCallContext context)
    {
        var held = LimiterOf(context).Requests.Hold(IdentityOf(context), request);
        context.GetHttpContext().Response.RegisterForDispose(held);
        return held;
    }

    private CancellationTokenSource CancelledAtEndOf(ServerCallContext context) =>
        CancellationTokenSource.CreateLinkedTokenSource(context.CancellationToken, lifetime.ApplicationStopping);

    // After the call's deadline, gRPC cancels the call's token only when the client has read the last bytes. With that
    // token alone, the bridge would never disconnect a client that reads nothing.
    private static CancellationTokenSource CancelledWhenGone(ServerCallContext context)
    {
        var gone = CancellationTokenSource.CreateLinkedTokenSource(context.CancellationToken);
        var timeLeft = context.Deadline == DateTime.MaxValue ? TimeSpan.MaxValue : context.Deadline - DateTime.UtcNow;
        if (timeLeft < TimeSpan.FromDays(1))
        {
            gone.CancelAfter((timeLeft > TimeSpan.Zero ? timeLeft : TimeSpan.Zero) + TimeSpan.FromSeconds(1));
        }

        return gone;
    }
}
