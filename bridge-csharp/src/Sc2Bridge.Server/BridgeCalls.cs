using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// The calls of clients, the same on every transport: each belongs to the subscriber of its session or its connection, if it
/// has one. All throw <see cref="RequestRefusedException"/>.
/// </summary>
internal sealed class BridgeCalls(Hub hub, StatusOfBridge status)
{
    /// <summary>Whether the bridge shares memory with clients.</summary>
    public bool SharesMemory { get; set; }

    /// <summary>The versions and capabilities.</summary>
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

    /// <summary>Describes a match; waits until one begins.</summary>
    public async Task<DescribeResponse> DescribeAsync(DescribeRequest request, Identity identity, CancellationToken ct) =>
        new() { Match = await hub.CurrentMatch.DescribeAsync(request, identity, ct) };

    /// <summary>Passes a request to the game.</summary>
    /// <param name="request">Changed: the subscriber's session, and its match and side if it names no others, are put in.</param>
    /// <param name="own">The subscription of the connection; null if it has none.</param>
    /// <param name="identity">The client.</param>
    /// <param name="held">Charges the request, then its answer, and keeps its place in the window.</param>
    /// <param name="ct">Gives up waiting.</param>
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

        return held.Answered(new CallGameResponse
        {
            Response = await hub.CurrentMatch.RequestAsync(request, caller?.Name ?? "", identity, held, ct),
        });
    }

    /// <summary>Controls a playback, or restarts a match: that is allowed also after the end of the subscription.</summary>
    /// <param name="request">Changed: the subscriber's match is put in if it names no other.</param>
    /// <param name="own">The subscription of the connection; null if it has none.</param>
    /// <param name="identity">The client.</param>
    public ControlResponse Control(ControlRequest request, Subscription? own, Identity identity)
    {
        var restarts = request.CommandCase == ControlRequest.CommandOneofCase.Restart;
        var caller = hub.Sessions.CallerOf(request.SessionId, own, identity, mayHaveEnded: restarts);
        request.MatchId = restarts ? request.MatchId : MatchOf(caller, request.MatchId);

        return new ControlResponse { Playback = hub.CurrentMatch.Control(request, identity) };
    }

    /// <summary>The state of the stream.</summary>
    public StatusResponse Status(StatusRequest request, Subscription? own, Identity identity)
    {
        hub.Sessions.CallerOf(request.SessionId, own, identity);
        return status.Answer(identity);
    }

    private static string MatchOf(Subscription? caller, string named) =>
        caller?.RequireRunning() is { } match && named.Length == 0 ? match.MatchId : named;
}
