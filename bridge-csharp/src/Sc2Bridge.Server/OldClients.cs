using System.Net.WebSockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Refuses clients with an older protocol than this bridge supports.</summary>
internal static class OldClients
{
    /// <summary>The refusal for clients from before 0.1.0.</summary>
    public static readonly string Refusal = RefusalOf("a client from before 0.1.0", 0, BridgeVersion.OldestProtocol);

    /// <summary>Refuses a client with an older protocol.</summary>
    /// <param name="request">Contains the client's protocol.</param>
    /// <param name="oldest">The oldest supported protocol.</param>
    /// <exception cref="RequestRefusedException">FAILED_PRECONDITION, with both versions.</exception>
    public static void Check(HelloRequest request, uint oldest = BridgeVersion.OldestProtocol)
    {
        if (request.ProtocolVersion > 0 && request.ProtocolVersion < oldest)
        {
            throw new RequestRefusedException(
                StatusCode.FailedPrecondition, RefusalOf($"client {request.Client}", request.ProtocolVersion, oldest));
        }
    }

    /// <summary>Answers all calls of the service from before 0.1.0 with UNIMPLEMENTED.</summary>
    public static void Map(WebApplication app) => app.Map(
        "/sc2bridge.v1.Bridge/{call}",
        (RequestDelegate)(http => RefusalAnswer.WriteAsync(
            http, StatusCode.Unimplemented, StatusCodes.Status404NotFound, Refusal)));

    /// <summary>Sends an error and closes the connection. Clients from before 0.1.0 can read the error: their protocol has the same error fields.</summary>
    /// <param name="socket">The client's socket.</param>
    /// <param name="subProtocol">The client's sub-protocol.</param>
    public static async Task RefuseAsync(WebSocket socket, SubProtocol subProtocol)
    {
        var channel = new WebSocketChannel(socket, subProtocol, deflates: false, backlog: null);
        using var writer = new SessionWriter(channel);
        try
        {
            var error = new Error { Code = StatusCode.Unimplemented, Message = Refusal, Fatal = true };
            await writer.FailAsync(new PlayResponse { Error = error }, SessionLimits.CloseTimeout);
            await channel.ReadAsync(static _ => true);
        }
        catch (PeerGoneException)
        {
            // The client closed first, or did not close in time.
        }
    }

    private static string RefusalOf(string client, uint protocol, uint oldest) =>
        $"{client} speaks protocol {protocol}, and bridge {BridgeVersion.Program} serves protocol "
        + $"{oldest} to {BridgeVersion.Protocol}: update the client (pip install -U sc2bridge)";
}
