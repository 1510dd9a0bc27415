using Google.Protobuf;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server;

/// <summary><c>sc2bridge.v1.BridgeService</c> on the hub; bridge.proto says what each call means.</summary>
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
        var held = Hold(request, context);
        using var ended = EndOf(context);
        return await held.DescribedAsync(await services.Calls.DescribeAsync(request, IdentityOf(context), ended.Token), ended.Token);
    }

    public virtual async Task Play(
        IAsyncStreamReader<PlayRequest> messages, IServerStreamWriter<StreamMessage> events, ServerCallContext context)
    {
        GrpcCompression.Choose(context);
        using var gone = GoneOf(context);
        using var channel = new PlayChannel(messages, events, context);
        var address = context.GetHttpContext().Connection.RemoteIpAddress;
        var client = new SessionClient(IdentityOf(context), address, OfConnection(context).Admit, HasPlace: true);
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
        var held = Hold(request, context);
        using var ended = EndOf(context);
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

    private ConnectionLimiter OfConnection(ServerCallContext context) => ConnectionLimiter.Of(context.GetHttpContext(), services);

    private async ValueTask AdmitAsync(ServerCallContext context)
    {
        await services.Admission.Messages.WaitAsync(context.GetHttpContext().Connection.RemoteIpAddress, context.CancellationToken);
        OfConnection(context).Admit();
    }

    // Until the answer is sent: see UnreadAnswers.
    private HeldRequest Hold(IMessage request, ServerCallContext context)
    {
        var held = OfConnection(context).Requests.Hold(IdentityOf(context), request);
        context.GetHttpContext().Response.RegisterForDispose(held);
        return held;
    }

    private CancellationTokenSource EndOf(ServerCallContext context) =>
        CancellationTokenSource.CreateLinkedTokenSource(context.CancellationToken, lifetime.ApplicationStopping);

    // After a deadline the call's own token waits until the last bytes are read: a client that reads nothing would
    // never be cut off.
    private static CancellationTokenSource GoneOf(ServerCallContext context)
    {
        var gone = CancellationTokenSource.CreateLinkedTokenSource(context.CancellationToken);
        var left = context.Deadline == DateTime.MaxValue ? TimeSpan.MaxValue : context.Deadline - DateTime.UtcNow;
        if (left < TimeSpan.FromDays(1))
        {
            gone.CancelAfter((left > TimeSpan.Zero ? left : TimeSpan.Zero) + TimeSpan.FromSeconds(1));
        }

        return gone;
    }
}
