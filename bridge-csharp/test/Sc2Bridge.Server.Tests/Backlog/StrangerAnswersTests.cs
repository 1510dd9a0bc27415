using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;

namespace Sc2Bridge.Server.Tests;

/// <summary>Clients that show no token, and read nothing of what they are sent.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class StrangerAnswersTests
{
    private const long Ceiling = MemoryLedger.LeastCeiling;

    [Theory]
    [InlineData("large.bin", 64, 40, 16 << 20)]
    [InlineData("missing", 1, 60_000, 512 << 10)]
    public async Task Their_unread_answers_are_bounded_and_cut_off_and_an_agent_stays(string path, int strangers, int requests, long most)
    {
        await using var match = await ServedMatch.StartAsync(
            change: options => options with
            {
                WebAddress = "127.0.0.1:0",
                PageFiles = [new PageFile("large.bin", RandomNumberGenerator.GetBytes(256 << 10))],
                StrangerTimeout = TimeSpan.FromSeconds(2),
            },
            ceiling: Ceiling);
        using var agent = match.Hub.Subscribe(
            new SubscribeRequest { Policy = Policy.Every, Overflow = Overflow.End }, new SubscriberInfo("test", DeliverInline: false));
        for (var step = 0u; step < 4; step++)
        {
            await match.PublishAsync(step);
        }

        var memory = match.Hub.Memory;
        var peak = 0L;
        var sockets = Enumerable.Range(0, strangers).Select(_ => new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 }).ToList();
        try
        {
            var text = string.Concat(Enumerable.Repeat($"GET /{path} HTTP/1.1\r\nHost: localhost\r\n\r\n", requests));
            var asking = Task.WhenAll(sockets.Select(socket => AskAsync(socket, match.Server.WebAddress, Encoding.ASCII.GetBytes(text))));
            await HoldsAsync(() =>
            {
                peak = Math.Max(peak, memory[MemoryAccount.Connections]);
                return asking.IsCompleted;
            });
            await asking;
            Assert.InRange(peak, 1, most);
            Assert.Equal(4, Assert.Single(match.Hub.Subscribers).Queued);
            await HoldsAsync(() => memory[MemoryAccount.Connections] == 0);
        }
        finally
        {
            sockets.ForEach(socket => socket.Dispose());
        }
    }

    // Until the bridge has cut the connection.
    private static async Task AskAsync(Socket socket, string address, byte[] requests)
    {
        await socket.ConnectAsync(IPEndPoint.Parse(address), Ct);
        try
        {
            for (var sent = 0; sent < requests.Length;)
            {
                sent += await socket.SendAsync(requests.AsMemory(sent), Ct);
            }

            // The answers are left in the socket, and so is the end.
            while (!socket.Poll(TimeSpan.Zero, SelectMode.SelectError))
            {
                await Task.Delay(20, Ct);
            }
        }
        catch (SocketException)
        {
            // Cut while it asked.
        }
    }
}
