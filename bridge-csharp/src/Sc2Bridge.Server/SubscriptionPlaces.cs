using System.Net;
using Grpc.AspNetCore.Server;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>Limits subscriptions on every transport.</summary>
internal static class SubscriptionPlaces
{
    /// <summary>Waits until the address may start another subscription, and reserves a place for the subscription.</summary>
    /// <returns>The place. Dispose it when the subscription has ended.</returns>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: all places are taken.</exception>
    public static async ValueTask<IDisposable> ReservePlaceAsync(
        this ConnectionAdmission admission, IPAddress? address, CancellationToken ct)
    {
        var (place, refusal) = await admission.TryEnterSubscriptionAsync(address, ct);
        return place ?? throw new RequestRefusedException(StatusCode.ResourceExhausted, refusal!.Message);
    }

    /// <summary>
    /// Makes each gRPC call that subscribes wait for a place before anything is created for the call. So a refused call costs only
    /// its headers. The place is kept until the call ends. In the pipeline, routing must come before this middleware.
    /// </summary>
    public static void ReservePlacesForPlay(this IApplicationBuilder app, ConnectionAdmission admission, CancellationToken stopping) =>
        app.UseWhen(http => BridgeMethods.IsSubscribing(http.GetEndpoint()?.Metadata.GetMetadata<GrpcMethodMetadata>()?.Method), calls => calls.Use(async (http, next) =>
        {
            IDisposable? place;
            Refusal? refusal;
            using (var ended = CancellationTokenSource.CreateLinkedTokenSource(http.RequestAborted, stopping))
            {
                try
                {
                    (place, refusal) = await admission.TryEnterSubscriptionAsync(http.Connection.RemoteIpAddress, ended.Token);
                }
                catch (OperationCanceledException)
                {
                    // If the client has disconnected, the answer is discarded.
                    await RefusalAnswer.WriteAsync(
                        http, StatusCode.Unavailable, StatusCodes.Status503ServiceUnavailable, SessionLimits.StoppingMessage);
                    return;
                }
            }

            using (place)
            {
                await (place is null
                    ? RefusalAnswer.WriteAsync(
                        http, StatusCode.ResourceExhausted, StatusCodes.Status429TooManyRequests, refusal!.Message)
                    : next(http));
            }
        }));
}
