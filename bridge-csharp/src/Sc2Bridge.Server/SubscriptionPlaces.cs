using System.Net;
using Grpc.AspNetCore.Server;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>What a subscription of any transport takes first.</summary>
internal static class SubscriptionPlaces
{
    /// <summary>Waits until the address may begin one more subscription, and takes its place.</summary>
    /// <returns>To be disposed when the subscription has ended.</returns>
    /// <exception cref="RequestRefusedException">There is none (RESOURCE_EXHAUSTED).</exception>
    public static async ValueTask<IDisposable> TakePlaceAsync(
        this ConnectionAdmission admission, IPAddress? address, CancellationToken ct)
    {
        var (place, refusal) = await admission.SubscribeAsync(address, ct);
        return place ?? throw new RequestRefusedException(StatusCode.ResourceExhausted, refusal!.Message);
    }

    /// <summary>
    /// Has each gRPC call that subscribes take a place, and wait for it, before anything is made for the call: a crowd that is
    /// refused costs what its headers cost. It is held until the call is over. Routing must come before it.
    /// </summary>
    public static void TakePlaces(this IApplicationBuilder app, ConnectionAdmission admission, CancellationToken stopping) =>
        app.UseWhen(http => BridgeMethods.Subscribes(http.GetEndpoint()?.Metadata.GetMetadata<GrpcMethodMetadata>()?.Method), calls => calls.Use(async (http, next) =>
        {
            IDisposable? place;
            Refusal? refusal;
            using (var ended = CancellationTokenSource.CreateLinkedTokenSource(http.RequestAborted, stopping))
            {
                try
                {
                    (place, refusal) = await admission.SubscribeAsync(http.Connection.RemoteIpAddress, ended.Token);
                }
                catch (OperationCanceledException)
                {
                    // Who has gone hears nothing of it.
                    await RefusalAnswer.WriteAsync(
                        http, StatusCode.Unavailable, StatusCodes.Status503ServiceUnavailable, SessionLimits.Stopping);
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
