using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Tests;

/// <summary>A client of a game's socket.</summary>
internal static class Client
{
    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public static async Task<ClientWebSocket> ConnectAsync(SimulatedGameServer server)
    {
        var client = new ClientWebSocket();
        client.Options.KeepAliveInterval = TimeSpan.Zero;
        await client.ConnectAsync(new Uri($"ws://127.0.0.1:{server.Port}/sc2api"), Cancelled);
        return client;
    }

    public static async Task<Response> AskAsync(ClientWebSocket client, Request request)
    {
        await client.SendAsync(request.ToByteArray(), WebSocketMessageType.Binary, true, Cancelled);
        using var bytes = new MemoryStream();
        var buffer = new byte[64 * 1024];
        while (true)
        {
            var received = await client.ReceiveAsync(buffer.AsMemory(), Cancelled);
            Assert.Equal(WebSocketMessageType.Binary, received.MessageType);
            bytes.Write(buffer.AsSpan(0, received.Count));
            if (received.EndOfMessage)
            {
                return Response.Parser.ParseFrom(bytes.ToArray());
            }
        }
    }
}
