using System.Net.WebSockets;
using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Testing;

/// <summary>A client that uses .NET's own WebSocket.</summary>
public sealed class AgentSocket(ClientWebSocket socket) : IDisposable
{
    public ClientWebSocket Socket => socket;

    /// <summary>If false, the client never answers the bridge's close.</summary>
    public bool AnswersClose { get; set; } = true;

    public static async Task<AgentSocket> ConnectAsync(string url, string subProtocol, Action<ClientWebSocketOptions>? change = null)
    {
        var socket = new ClientWebSocket();
        socket.Options.AddSubProtocol(subProtocol);
        change?.Invoke(socket.Options);
        await socket.ConnectAsync(new Uri(url), Ct);
        return new AgentSocket(socket);
    }

    private bool IsJson => socket.SubProtocol?.Contains("json", StringComparison.Ordinal) == true;

    public Task SendAsync(PlayRequest message) => IsJson
        ? SendAsync(System.Text.Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(message)))
        : SendAsync(message.ToByteArray());

    public Task SendAsync(byte[] message) =>
        SendAsync(message, IsJson ? WebSocketMessageType.Text : WebSocketMessageType.Binary);

    public Task SendAsync(byte[] message, WebSocketMessageType type) => socket.SendAsync(message, type, true, Ct);

    public Task SubscribeAsync(string name = "agent", Policy policy = Policy.Every) =>
        SendAsync(new PlayRequest { Subscribe = new SubscribeRequest { Agent = name, Policy = policy } });

    /// <summary>The next event after the answer to <c>subscribe</c>; null if the bridge closed.</summary>
    public async Task<PlayResponse?> ReceiveAsync()
    {
        var next = await NextAsync();
        return next?.Subscribe is null ? next : await NextAsync();
    }

    /// <summary>The next event; null if the bridge closed.</summary>
    public async Task<PlayResponse?> NextAsync()
    {
        using var message = new MemoryStream();
        var buffer = new byte[64 << 10];
        while (true)
        {
            var received = await socket.ReceiveAsync(buffer.AsMemory(), Ct);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                if (AnswersClose)
                {
                    await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
                }

                return null;
            }

            message.Write(buffer, 0, received.Count);
            if (received.EndOfMessage)
            {
                Assert.Equal(IsJson ? WebSocketMessageType.Text : WebSocketMessageType.Binary, received.MessageType);
                return IsJson
                    ? JsonParser.Default.Parse<PlayResponse>(System.Text.Encoding.UTF8.GetString(message.ToArray()))
                    : PlayResponse.Parser.ParseFrom(message.ToArray());
            }
        }
    }

    /// <summary>Expects a fatal error and the close that follows. Returns the error's text.</summary>
    public async Task<string> FailsAsync(uint code)
    {
        var said = await ReceiveAsync();
        Assert.Equal(PlayResponse.EventOneofCase.Error, said?.EventCase);
        Assert.True(said!.Error.Fatal);
        Assert.Equal(code, said.Error.Code);
        Assert.DoesNotContain('\n', said.Error.Message);
        Assert.Null(await ReceiveAsync());
        Assert.Equal(4000 + (int)code, (int)socket.CloseStatus!);
        return said.Error.Message;
    }

    public void Dispose() => socket.Dispose();
}
