using Grpc.Core;
using Sc2Bridge.V1;

namespace Sc2Bridge.Testing;

/// <summary>Subscriptions over gRPC by clients that only watch.</summary>
public static class GrpcCalls
{
    /// <summary>Subscribes, and ends the client's side.</summary>
    public static AsyncServerStreamingCall<PlayResponse> Subscribe(
        this BridgeService.BridgeServiceClient client, SubscribeRequest request, Metadata? headers = null,
        CancellationToken cancellationToken = default) =>
        client.Play(headers, cancellationToken: cancellationToken).Watching(request);

    /// <summary>The same with a call of <c>Play</c> that is already open.</summary>
    public static AsyncServerStreamingCall<T> Watching<T>(
        this AsyncDuplexStreamingCall<PlayRequest, T> call, SubscribeRequest request)
    {
        _ = SendAsync();
        return new(call.ResponseStream, call.ResponseHeadersAsync, call.GetStatus, call.GetTrailers, call.Dispose);

        async Task SendAsync()
        {
            try
            {
                await call.RequestStream.WriteAsync(new PlayRequest { Subscribe = request }, Ct);
                await call.RequestStream.CompleteAsync();
            }
            catch (Exception) when (!Ct.IsCancellationRequested)
            {
                // The call has ended: the reader gets the status.
            }
        }
    }
}
