using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Testing;

/// <summary>A client of the game's API without any checks, so that it can misbehave.</summary>
public sealed class GameSocket(ClientWebSocket socket) : IDisposable
{
    private readonly byte[] _bytes = new byte[1 << 20];

    public ClientWebSocket Socket => socket;

    public static Task<GameSocket> ConnectAsync(int port) => ConnectAsync(new Uri($"ws://127.0.0.1:{port}/sc2api"));

    public static async Task<GameSocket> ConnectAsync(Uri game)
    {
        var socket = new ClientWebSocket();
        socket.Options.KeepAliveInterval = TimeSpan.Zero;
        await socket.ConnectAsync(game, Ct);
        return new GameSocket(socket);
    }

    /// <summary>Connects to a game that may not yet have noticed that its last client left.</summary>
    public static async Task<GameSocket> ConnectOnceFreeAsync(int port)
    {
        while (true)
        {
            try
            {
                return await ConnectAsync(port);
            }
            catch (WebSocketException refused) when (refused.Message.Contains("503", StringComparison.Ordinal))
            {
                await Task.Yield();
            }
        }
    }

    public Task SendAsync(byte[] bytes, WebSocketMessageType type = WebSocketMessageType.Binary, bool end = true) =>
        socket.SendAsync(bytes, type, end, Ct);

    public Task SendAsync(Request request) => SendAsync(request.ToByteArray());

    /// <summary>The next message's bytes. Null if the game closed the connection.</summary>
    public async Task<byte[]?> ReceiveBytesAsync()
    {
        var length = 0;
        while (true)
        {
            var received = await socket.ReceiveAsync(_bytes.AsMemory(length), Ct);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                return null;
            }

            length += received.Count;
            if (received.EndOfMessage)
            {
                return _bytes[..length];
            }
        }
    }

    public async Task<Response> ReceiveAsync() => Response.Parser.ParseFrom(await ReceiveBytesAsync());

    public async Task<Response> AskAsync(Request request)
    {
        await SendAsync(request);
        return await ReceiveAsync();
    }

    public void Dispose() => socket.Dispose();
}
