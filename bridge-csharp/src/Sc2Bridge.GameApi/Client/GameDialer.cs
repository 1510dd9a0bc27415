using System.Net.Sockets;
using System.Net.WebSockets;

namespace Sc2Bridge.GameApi;

/// <summary>Opens the connection to a game's API.</summary>
public static class GameDialer
{
    /// <summary>Connects a WebSocket, whose reader waits on its own thread from then on.</summary>
    /// <param name="socket">Not connected yet.</param>
    /// <param name="address">Of the API.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="WebSocketException">Nothing listens there, or no game.</exception>
    public static async Task ConnectAsync(ClientWebSocket socket, Uri address, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(socket);
        GameStream? stream = null;
        using var handler = new SocketsHttpHandler
        {
            // A proxy from the environment is not for the game.
            UseProxy = false,
            ConnectCallback = async (connection, giveUp) =>
            {
                var tcp = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                try
                {
                    await tcp.ConnectAsync(connection.DnsEndPoint, giveUp);
                }
                catch
                {
                    tcp.Dispose();
                    throw;
                }

                return stream = new GameStream(tcp);
            },
        };
        using var invoker = new HttpMessageInvoker(handler);
        await socket.ConnectAsync(address, invoker, ct);
        stream!.BlockReads();
    }
}
