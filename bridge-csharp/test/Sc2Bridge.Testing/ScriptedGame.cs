using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Text;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;

namespace Sc2Bridge.Testing;

/// <summary>A scripted game: a WebSocket server for one connection at a time, without rules of its own.</summary>
public sealed class ScriptedGame : IAsyncDisposable
{
    private readonly TcpListener _listener;
    private readonly Func<ScriptedConnection, Task> _script;
    private readonly CancellationTokenSource _stop = new();

    private ScriptedGame(Func<ScriptedConnection, Task> script, int port)
    {
        _script = script;
        _listener = new TcpListener(IPAddress.Loopback, port);
        _listener.Start();
        Address = new GameAddress("127.0.0.1", ((IPEndPoint)_listener.LocalEndpoint).Port);
        Served = ServeAsync();
    }

    public GameAddress Address { get; }

    /// <summary>Completes when the first connection was served.</summary>
    public Task Served { get; }

    public static ScriptedGame Start(Func<ScriptedConnection, Task> script, int port = 0) => new(script, port);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await Served.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task ServeAsync()
    {
        using var client = await _listener.AcceptTcpClientAsync(_stop.Token);
        client.NoDelay = true;
        await using var stream = client.GetStream();
        var key = await HandshakeAsync(stream);
        var accept = Convert.ToBase64String(
            SHA1.HashData(System.Text.Encoding.ASCII.GetBytes(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));
        await stream.WriteAsync(System.Text.Encoding.ASCII.GetBytes(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
            $"Sec-WebSocket-Accept: {accept}\r\n\r\n"));
        using var socket = WebSocket.CreateFromStream(stream, new WebSocketCreationOptions { IsServer = true });
        using var registration = _stop.Token.Register(socket.Abort);
        await _script(new ScriptedConnection(socket, stream, client));
    }

    private static async Task<string> HandshakeAsync(NetworkStream stream)
    {
        var head = new StringBuilder();
        var one = new byte[1];
        while (!head.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal))
        {
            await stream.ReadExactlyAsync(one);
            head.Append((char)one[0]);
        }

        var lines = head.ToString().Split("\r\n");
        Assert.Equal("GET /sc2api HTTP/1.1", lines[0]);
        return lines.First(
            line => line.StartsWith("Sec-WebSocket-Key:", StringComparison.OrdinalIgnoreCase))[18..].Trim();
    }
}

/// <summary>The operations of a script.</summary>
public sealed class ScriptedConnection(WebSocket socket, NetworkStream stream, TcpClient client)
{
    private readonly byte[] _buffer = new byte[1 << 20];

    public NetworkStream Stream => stream;

    /// <summary>The next request. Null if the client has disconnected.</summary>
    public async Task<Request?> ReadAsync()
    {
        var length = 0;
        while (true)
        {
            WebSocketReceiveResult result;
            try
            {
                result = await socket.ReceiveAsync(_buffer.AsMemory(length).ToArraySegment(), CancellationToken.None);
            }
            catch (Exception gone) when (gone is WebSocketException or OperationCanceledException)
            {
                return null;
            }

            if (result.MessageType == WebSocketMessageType.Close)
            {
                return null;
            }

            length += result.Count;
            if (result.EndOfMessage)
            {
                return Request.Parser.ParseFrom(_buffer, 0, length);
            }
        }
    }

    public Task AnswerAsync(Request request, Response response)
    {
        response.Id = request.Id;
        return SendAsync(response.ToByteArray());
    }

    public Task SendAsync(byte[] bytes, WebSocketMessageType type = WebSocketMessageType.Binary, bool end = true) =>
        socket.SendAsync(bytes, type, end, CancellationToken.None);

    /// <summary>Drops the TCP connection, like a killed process.</summary>
    public void Cut() => client.Client.Close(0);

    /// <summary>Serves until the client disconnects. If the answer is null, it sends none.</summary>
    public async Task ServeAsync(Func<Request, Response?> answer)
    {
        while (await ReadAsync() is { } request)
        {
            if (answer(request) is { } response)
            {
                await AnswerAsync(request, response);
            }
        }
    }
}

public static class MemoryExtensions
{
    public static ArraySegment<byte> ToArraySegment(this Memory<byte> memory) =>
        System.Runtime.InteropServices.MemoryMarshal.TryGetArray<byte>(memory, out var segment) ? segment : default;
}
