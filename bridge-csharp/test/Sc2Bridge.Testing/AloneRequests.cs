using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Testing;

/// <summary>Requests of clients that each have their own connection.</summary>
public static class AloneRequests
{
    /// <summary>Sends the only request of a connection to the game.</summary>
    public static async Task<Response> RequestAsync(
        this CurrentMatch match, CallGameRequest request, string agent, Identity identity, CancellationToken ct)
    {
        using var held = new ConnectionRequests(new RequestRoom(new MemoryLedger(MemoryLedger.LeastCeiling))).Hold(identity, new CallGameRequest());
        return await match.RequestAsync(request, agent, identity, held, ct);
    }
}
