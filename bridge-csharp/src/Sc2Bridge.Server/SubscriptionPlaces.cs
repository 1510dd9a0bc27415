using System.Net;
using Sc2Bridge.Admission;
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
}
