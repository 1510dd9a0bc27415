using System.Net.Sockets;

namespace Sc2Bridge.Server.Tests;

/// <summary>Which handshakes the bridge accepts, and with which options.</summary>
public sealed class WebSocketHandshakeTests
{
    [Theory]
    [InlineData("", "Sec-WebSocket-Protocol: chat", 400, "sc2bridge.json.v1")]
    [InlineData("", "X-Nothing: here", 400, "sc2bridge.proto.v1")]
    [InlineData("Origin: http://evil.example.com\r\n", "Sec-WebSocket-Protocol: sc2bridge.json.v1", 403, "--allow-origin")]
    [InlineData("", "Sec-WebSocket-Protocol: chat, sc2bridge.proto.v1", 101, "sc2bridge.proto.v1")]
    [InlineData("Origin: http://localhost\r\n", "Sec-WebSocket-Protocol: sc2bridge.json.v1", 101, "sc2bridge.json.v1")]
    public async Task The_handshake_says_what_is_missing(string origin, string protocol, int status, string said)
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var client = await ConnectAsync(match.Authority);
        await using var stream = client.GetStream();
        await stream.WriteAsync(Handshake(match.Authority, origin + protocol), Ct);
        var answer = await ReadUntilAsync(stream, said);
        Assert.StartsWith($"HTTP/1.1 {status} ", answer, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_plain_request_is_answered_with_what_this_is()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var http = new HttpClient();
        using var answer = await http.GetAsync(new Uri($"http://{match.Authority}/v1"), Ct);
        Assert.Equal(HttpStatusCode.UpgradeRequired, answer.StatusCode);
        Assert.Contains("sc2bridge.json.v1", await answer.Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public async Task Deflate_is_negotiated_only_if_it_is_allowed(bool allowed, bool negotiated)
    {
        await using var match = await WebSocketMatch.StartAsync(allowed);
        using var client = await ConnectAsync(match.Authority);
        await using var stream = client.GetStream();
        await stream.WriteAsync(
            Handshake(
                match.Authority,
                "Sec-WebSocket-Protocol: sc2bridge.json.v1\r\nSec-WebSocket-Extensions: permessage-deflate"),
            Ct);
        var answer = await ReadUntilAsync(stream, "\r\n\r\n");
        Assert.Equal(negotiated, answer.Contains("permessage-deflate", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Raw_garbage_after_the_handshake_ends_that_connection_only()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var other = await match.ConnectAsync("sc2bridge.json.v1");
        var random = new Random(17);
        for (var round = 0; round < 50; round++)
        {
            using var client = await ConnectAsync(match.Authority);
            await using var stream = client.GetStream();
            await stream.WriteAsync(Handshake(match.Authority, "Sec-WebSocket-Protocol: sc2bridge.proto.v1"), Ct);
            await ReadUntilAsync(stream, "\r\n\r\n");
            var garbage = new byte[random.Next(1, 300)];
            random.NextBytes(garbage);
            await stream.WriteAsync(garbage, Ct);
            client.Client.Shutdown(SocketShutdown.Send);
            try
            {
                await stream.CopyToAsync(Stream.Null, Ct);
            }
            catch (IOException)
            {
                // The connection was closed without a close frame.
            }
        }

        await other.SendAsync(new V1.PlayRequest { Clock = new V1.Clock { AgentNs = 1 } });
        Assert.Equal(1, (await other.ReceiveAsync())!.Clock.AgentNs);
        Assert.Empty(match.Hub.Subscribers);
    }

    [Fact]
    public async Task A_stopping_bridge_says_so()
    {
        var match = await WebSocketMatch.StartAsync();
        using var agent = await match.ConnectAsync("sc2bridge.proto.v1");
        await agent.SendAsync(new V1.PlayRequest { Clock = new V1.Clock() });
        Assert.NotNull(await agent.ReceiveAsync());
        var heard = agent.FailsAsync(14);
        await match.DisposeAsync();
        await heard;
    }

    private static async Task<TcpClient> ConnectAsync(string authority)
    {
        var client = new TcpClient();
        await client.ConnectAsync(IPEndPoint.Parse(authority), Ct);
        return client;
    }

    private static byte[] Handshake(string host, string headers) => System.Text.Encoding.ASCII.GetBytes(
        $"GET /v1 HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + $"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n\r\n");

    private static async Task<string> ReadUntilAsync(NetworkStream stream, string wanted)
    {
        var text = "";
        var buffer = new byte[4096];
        while (!text.Contains(wanted, StringComparison.Ordinal))
        {
            var count = await stream.ReadAsync(buffer, Ct);
            Assert.True(count > 0, $"The connection ended before '{wanted}': {text}");
            text += System.Text.Encoding.UTF8.GetString(buffer, 0, count);
        }

        return text;
    }
}
