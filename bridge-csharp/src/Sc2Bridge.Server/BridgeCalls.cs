using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// Executes the calls of clients, for every transport. A call belongs to the subscriber of its session or connection,
/// if there is a subscriber. A refused call throws <see cref="RequestRefusedException"/>.
/// </summary>
internal sealed class BridgeCalls(Hub hub, StatusOfBridge status)
{
    /// <summary>Whether the bridge shares memory with clients.</summary>
    public bool SharesMemory { get; set; }

    /// <summary>Returns the versions and capabilities of the bridge.</summary>
    public HelloResponse Hello(HelloRequest request)
    {
        OldClients.Check(request);
        var hello = new HelloResponse
        {
            BridgeVersion = BridgeVersion.Program,
            ProtocolVersion = BridgeVersion.Protocol,
            OldestProtocolVersion = BridgeVersion.OldestProtocol,
            Capabilities = { "actions", "columns", "zstd", "group-zstd", "call-game", "control", "status" },
        };
        if (hub.CurrentMatch.CanRestart)
        {
            hello.Capabilities.Add("restart");
        }

        if (SharesMemory)
        {
            hello.Capabilities.Add("shared-memory");
        }

        return hello;
    }

    /// <summary>Describes the running match, or the last match if the request names the last match. Otherwise waits until a match runs.</summary>
    public async Task<DescribeResponse> DescribeAsync(DescribeRequest request, Identity identity, CancellationToken ct) =>
        new() { Match = await hub.CurrentMatch.DescribeAsync(request, identity, ct) };

    /// <summary>Sends a request to the game.</summary>
    /// <param name="request">
    /// The request. This method fills in the subscriber's session, and also the subscriber's match and side if they are missing.
    /// </param>
    /// <param name="own">The subscription of the connection; null if the connection has none.</param>
    /// <param name="identity">The client's identity.</param>
    /// <param name="held">What the call holds until the answer is written: memory, and a slot among the client's open requests.</param>
    /// <param name="ct">Cancels the wait.</param>
    public async Task<CallGameResponse> CallGameAsync(
        CallGameRequest request, Subscription? own, Identity identity, HeldRequest held, CancellationToken ct)
    {
        var caller = hub.Sessions.CallerOf(request.SessionId, own, identity);
        request.SessionId = caller?.SessionId ?? "";
        request.MatchId = MatchOf(caller, request.MatchId);
        if (!request.HasPerspective && caller?.Side is { } side)
        {
            request.Perspective = side;
        }

        return held.ChargeAnswer(new CallGameResponse
        {
            Response = await hub.CurrentMatch.RequestAsync(request, caller?.Name ?? "", identity, held, ct),
        });
    }

    /// <summary>Controls a playback, or restarts a match. A restart is also allowed after the end of the subscription.</summary>
    /// <param name="request">The request. If it has no match, this method sets its match to the subscriber's match.</param>
    /// <param name="own">The subscription of the connection; null if the connection has none.</param>
    /// <param name="identity">The client's identity.</param>
    public ControlResponse Control(ControlRequest request, Subscription? own, Identity identity)
    {
        var isRestart = request.CommandCase == ControlRequest.CommandOneofCase.Restart;
        var caller = hub.Sessions.CallerOf(request.SessionId, own, identity, mayHaveEnded: isRestart);
        request.MatchId = isRestart ? request.MatchId : MatchOf(caller, request.MatchId);

        return new ControlResponse { Playback = hub.CurrentMatch.Control(request, identity) };
    }

    /// <summary>Returns the state of the stream.</summary>
    public StatusResponse Status(StatusRequest request, Subscription? own, Identity identity)
    {
        hub.Sessions.CallerOf(request.SessionId, own, identity);
        return status.StatusFor(identity);
    }

    private static string MatchOf(Subscription? caller, string requestedMatchId) =>
        caller?.RequireRunning() is { } match && requestedMatchId.Length == 0 ? match.MatchId : requestedMatchId;
}
