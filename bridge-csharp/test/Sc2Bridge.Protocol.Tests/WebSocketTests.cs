using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;

namespace Sc2Bridge.Protocol.Tests;

public sealed class WebSocketTests
{
    [Theory]
    [InlineData("")]
    [InlineData("The match has ended.")]
    public void A_short_reason_stays(string reason) => Assert.Same(reason, WebSocketEnd.ShortenReason(reason));

    [Theory]
    [InlineData("a")]
    [InlineData("é")]
    [InlineData("€")]
    [InlineData("𝄞")]
    public void A_long_reason_is_cut_between_characters(string character)
    {
        for (var prefix = 0; prefix < 4; prefix++)
        {
            var text = new string('-', prefix) + string.Concat(Enumerable.Repeat(character, 200));
            var reason = WebSocketEnd.ShortenReason(text);
            Assert.InRange(Encoding.UTF8.GetByteCount(reason), 118, 123);
            Assert.EndsWith("…", reason, StringComparison.Ordinal);
            Assert.StartsWith(reason[..^1], text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Messages_are_put_together_up_to_the_bound()
    {
        const int longest = 200_000;
        var (one, other) = await PairAsync(Ct);
        using (one)
        using (other)
        {
            var reader = new WebSocketMessageReader(other, longest);
            foreach (var length in (int[])[0, 1, 4096, 5000, longest, 3])
            {
                var sent = new byte[length];
                new Random(length).NextBytes(sent);
                var sending = SendAsync(one, sent, Ct);
                Assert.Equal(WebSocketMessageType.Binary, await reader.ReadAsync(Ct));
                await sending;
                Assert.True(reader.Message.Span.SequenceEqual(sent));
            }

            var tooLong = SendAsync(one, new byte[longest + 1], Ct);
            Assert.Null(await reader.ReadAsync(Ct));
            var closing = one.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
            await reader.SkipToCloseAsync(Ct);
            await tooLong;
            await closing;
        }
    }

    // In several frames, as other libraries send messages.
    private static async Task SendAsync(WebSocket socket, byte[] message, CancellationToken ct)
    {
        for (var at = 0; at < message.Length; at += 3000)
        {
            var piece = message.AsMemory(at, Math.Min(3000, message.Length - at));
            await socket.SendAsync(piece, WebSocketMessageType.Binary, endOfMessage: false, ct);
        }

        await socket.SendAsync(Memory<byte>.Empty, WebSocketMessageType.Binary, endOfMessage: true, ct);
    }

    private static async Task<(WebSocket One, WebSocket Other)> PairAsync(CancellationToken ct)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var one = new TcpClient();
        await one.ConnectAsync((IPEndPoint)listener.LocalEndpoint, ct);
        var other = await listener.AcceptTcpClientAsync(ct);
        return (
            WebSocket.CreateFromStream(one.GetStream(), new() { IsServer = false }),
            WebSocket.CreateFromStream(other.GetStream(), new() { IsServer = true }));
    }
}
