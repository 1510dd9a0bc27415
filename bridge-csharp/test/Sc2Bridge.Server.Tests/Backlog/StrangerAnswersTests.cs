using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Grpc.Core;
using Grpc.Net.Client;
using Grpc.Reflection.V1Alpha;
using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Server.Tests;

/// <summary>Clients without a token that read no answers.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class StrangerAnswersTests
{
    private const long Ceiling = MemoryLedger.LeastCeiling;

    [Theory]
    [InlineData("large.bin", 64, 40, 24 << 20)] // Cut-off answers stay in memory for a moment while the next ones are sent.
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

    [Fact]
    public async Task Slow_strangers_of_one_address_do_not_close_the_page_to_others()
    {
        using var answers = new StrangerAnswers(TimeSpan.FromMinutes(5));
        var (one, other) = (IPAddress.Parse("192.0.2.1"), IPAddress.Parse("192.0.2.2"));
        var (sent, sending) = (0, new TaskCompletionSource());
        var slow = Enumerable.Range(0, 16).Select(_ => SendAsync(one)).ToList();
        await HoldsAsync(() => sent == 16);
        using var gone = new CancellationTokenSource();
        var waiting = Enumerable.Range(0, 63).Select(_ => SendAsync(one)).ToList();
        var left = SendAsync(one, gone);
        Assert.False(await SendAsync(one));
        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => left);
        waiting.Add(SendAsync(one));
        Assert.False(waiting[^1].IsCompleted);
        Assert.Equal(16, sent);
        var served = SendAsync(other);
        Assert.Equal(17, sent);
        sending.SetResult();
        Assert.True(await served);
        Assert.All(await Task.WhenAll(slow.Concat(waiting)), Assert.True);

        Task<bool> SendAsync(IPAddress address, CancellationTokenSource? client = null)
        {
            var http = new DefaultHttpContext { Connection = { RemoteIpAddress = address }, RequestAborted = client?.Token ?? Ct };
            http.Features.Set(Identity.Anonymous);
            return answers.SendAsync(http, () =>
            {
                Interlocked.Increment(ref sent);
                return sending.Task;
            });
        }
    }

    [Theory]
    [InlineData(4 << 20)]
    [InlineData(600 << 10)] // The system takes all of it at once.
    public async Task Short_answers_and_open_calls_of_reflection_take_no_place(int length)
    {
        await using var match = await ServedMatch.StartAsync(options => options with
        {
            WebAddress = "127.0.0.1:0",
            StrangerTimeout = TimeSpan.FromMinutes(5),
            PageFiles = [new PageFile("large.bin", RandomNumberGenerator.GetBytes(length)), new PageFile("short.txt", "short"u8.ToArray())],
        });
        using var channel = GrpcChannel.ForAddress($"http://{match.Address}");
        var reflection = new ServerReflection.ServerReflectionClient(channel);
        for (var count = 0; count < 90; count++)
        {
            var call = reflection.ServerReflectionInfo(cancellationToken: Ct);
            await call.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" }, Ct);
            Assert.True(await call.ResponseStream.MoveNext(Ct));
        }

        using var http = new HttpClient { BaseAddress = new Uri($"http://{match.Server.WebAddress}") };
        Assert.Equal("short", await http.GetStringAsync("/short.txt", Ct));
        var slow = Enumerable.Range(0, 16 + 64 + 20).Select(_ => new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 }).ToList();
        try
        {
            foreach (var socket in slow)
            {
                await socket.ConnectAsync(IPEndPoint.Parse(match.Server.WebAddress), Ct);
                await socket.SendAsync("GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray(), Ct);
            }

            await HoldsAsync(() => slow.Count(socket => Peek(socket).StartsWith("HTTP/1.1 503", StringComparison.Ordinal)) == 20);
            using var busy = await http.GetAsync("/short.txt", Ct);
            Assert.Equal(HttpStatusCode.ServiceUnavailable, busy.StatusCode);
            using var head = await http.SendAsync(new HttpRequestMessage(HttpMethod.Head, "/large.bin"), Ct);
            Assert.Equal(HttpStatusCode.OK, head.StatusCode);
            Assert.Equal(length, head.Content.Headers.ContentLength);
            using var missing = await http.GetAsync("/missing", Ct);
            Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
            using var next = reflection.ServerReflectionInfo(cancellationToken: Ct);
            await next.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" }, Ct);
            var refused = await Assert.ThrowsAsync<RpcException>(() => next.ResponseStream.MoveNext(Ct));
            Assert.Equal(Grpc.Core.StatusCode.Unavailable, refused.StatusCode);
        }
        finally
        {
            slow.ForEach(socket => socket.Dispose());
        }

        await HoldsAsync(async () => (await http.GetAsync("/short.txt", Ct)).StatusCode == HttpStatusCode.OK);
    }

    private static string Peek(Socket socket)
    {
        var first = new byte[12];
        return socket.Available < first.Length ? "" : Encoding.ASCII.GetString(first, 0, socket.Receive(first, SocketFlags.Peek));
    }

    // Sends until the bridge closes the connection.
    private static async Task AskAsync(Socket socket, string address, byte[] requests)
    {
        await socket.ConnectAsync(IPEndPoint.Parse(address), Ct);
        try
        {
            for (var sent = 0; sent < requests.Length;)
            {
                sent += await socket.SendAsync(requests.AsMemory(sent), Ct);
            }

            // Leaves the answers and the end of the connection unread in the socket.
            while (!socket.Poll(TimeSpan.Zero, SelectMode.SelectError))
            {
                await Task.Delay(20, Ct);
            }
        }
        catch (SocketException)
        {
            // The bridge closed the connection while requests were sent.
        }
    }
}
