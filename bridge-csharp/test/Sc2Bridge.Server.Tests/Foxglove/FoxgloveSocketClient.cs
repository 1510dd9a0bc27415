using System.Text;
using System.Text.Json;

namespace Sc2Bridge.Server.Tests;

/// <summary>A minimal client.</summary>
internal sealed class FoxgloveSocketClient(ClientWebSocket socket) : IDisposable
{
    private readonly Dictionary<string, int> _channels = [];

    public static Task<FoxgloveSocketClient> ConnectAsync(WebSocketMatch match, string subProtocol, string path = "/") =>
        ConnectAsync(match.Authority, subProtocol, path);

    public static async Task<FoxgloveSocketClient> ConnectAsync(string authority, string subProtocol, string path)
    {
        var socket = new ClientWebSocket();
        socket.Options.AddSubProtocol(subProtocol);
        await socket.ConnectAsync(new Uri($"ws://{authority}{path}"), Ct);
        Assert.Equal(subProtocol, socket.SubProtocol);
        return new FoxgloveSocketClient(socket);
    }

    public async Task<IReadOnlyList<string>> TopicsAsync()
    {
        foreach (var channel in (await TextAsync("advertise")).GetProperty("channels").EnumerateArray())
        {
            _channels[channel.GetProperty("topic").GetString()!] = channel.GetProperty("id").GetInt32();
        }

        return [.. _channels.Keys];
    }

    public Task SubscribeAsync(params (uint Id, string Topic)[] wanted) => SendAsync(JsonSerializer.Serialize(new
    {
        op = "subscribe",
        subscriptions = wanted.Select(one => new { id = one.Id, channelId = _channels.GetValueOrDefault(one.Topic, 99) }),
    }));

    /// <summary>Waits until the bridge has handled everything that was sent.</summary>
    public async Task HandledAsync()
    {
        await SendAsync("""{"op": "unknown"}""");
        Assert.Contains("unknown", (await TextAsync("status")).GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    public Task SendAsync(string message, bool binary = false) => socket.SendAsync(
        (binary ? Encoding.Latin1 : Encoding.UTF8).GetBytes(message),
        binary ? WebSocketMessageType.Binary : WebSocketMessageType.Text, endOfMessage: true, Ct);

    /// <summary>The next text message of this kind. Other messages are skipped.</summary>
    public async Task<JsonElement> TextAsync(string op)
    {
        while (true)
        {
            var (bytes, type) = await ReceiveAsync();
            Assert.NotEqual(WebSocketMessageType.Close, type);
            if (type == WebSocketMessageType.Text)
            {
                var text = JsonSerializer.Deserialize<JsonElement>(bytes);
                if (text.GetProperty("op").GetString() == op)
                {
                    return text;
                }
            }
        }
    }

    public async Task<byte[]> BinaryAsync()
    {
        var (bytes, type) = await ReceiveAsync();
        Assert.Equal(WebSocketMessageType.Binary, type);
        return bytes;
    }

    /// <summary>The next message of a channel. Times and the playback's state are skipped.</summary>
    public async Task<(uint Id, ulong Time, byte[] Message)> MessageAsync()
    {
        byte[] bytes;
        do
        {
            bytes = await BinaryAsync();
        }
        while (bytes[0] is 2 or 5);

        Assert.Equal(1, bytes[0]);
        return (BitConverter.ToUInt32(bytes, 1), BitConverter.ToUInt64(bytes, 5), bytes[13..]);
    }

    /// <summary>Reads up to the bridge's close, and does not answer the close.</summary>
    public async Task UntilClosedAsync()
    {
        while ((await ReceiveAsync()).Type != WebSocketMessageType.Close)
        {
        }
    }

    public async Task<WebSocketCloseStatus?> EndAsync()
    {
        await UntilClosedAsync();
        await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
        return socket.CloseStatus;
    }

    public void Dispose() => socket.Dispose();

    private async Task<(byte[] Bytes, WebSocketMessageType Type)> ReceiveAsync()
    {
        var message = new MemoryStream();
        var buffer = new byte[1 << 16];
        while (true)
        {
            var received = await socket.ReceiveAsync(buffer, Ct);
            message.Write(buffer, 0, received.Count);
            if (received.EndOfMessage)
            {
                return (message.ToArray(), received.MessageType);
            }
        }
    }
}
