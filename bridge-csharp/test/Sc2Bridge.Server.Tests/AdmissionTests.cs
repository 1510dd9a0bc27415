using System.Net.Sockets;
using System.Text;
using Grpc.Core;
using GrpcCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Many clients at once: requests over a limit are refused, and connected clients are not affected.</summary>
public sealed class AdmissionTests
{
    // Smaller than a stream's first window.
    private const int Unfinished = 600 << 10;

    [Fact]
    public async Task Idle_connections_beyond_the_limit_are_refused_while_a_subscriber_gets_every_frame()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { Connections = 50 });
        List<string> told = [];
        admission.Noticed += told.Add;
        await using var match = await ServedMatch.StartAsync(
            options => options with { Admission = admission, WebAddress = "127.0.0.1:0" });
        using var client = match.Client();
        using var agent = client.Subscribe(
            new SubscribeRequest { Agent = "good", Policy = Policy.Every }, cancellationToken: Ct);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        List<Socket> crowd = [];
        try
        {
            for (var count = 0u; count < 300; count++)
            {
                crowd.Add(await ConnectAsync(count % 2 == 0 ? match.Address : match.Server.WebAddress));
                await match.PublishAsync(count);
            }

            for (ulong step = 0; step < 300; step++)
            {
                Assert.Equal(step, (await agent.ResponseStream.NextAsync())!.Frame.Step);
            }

            Assert.Contains("--max-connections", Assert.Single(told));

            // Connections count as used memory, which is released when they close.
            Assert.InRange(match.Hub.Memory[MemoryAccount.Connections], 50 * (32 << 10), long.MaxValue);

            // The last two connections, one for each port.
            var refused = await ReadToEndAsync(crowd[^1]);
            Assert.StartsWith("HTTP/1.1 503 Service Unavailable\r\n", refused);
            Assert.EndsWith("\r\n\r\nThe bridge has reached its limit for connections: 50. Close some, or start it with a higher --max-connections\n", refused);
            Assert.EndsWith("The bridge has reached its limit for connections: 50. Close some, or start it with a higher --max-connections", await ReadToEndAsync(crowd[^2]));
        }
        finally
        {
            crowd.ForEach(one => one.Dispose());
        }

        // The closed connections have released their places.
        using var next = match.Client();
        await EventuallyAsync(async () =>
            await next.DescribeAsync(new DescribeRequest(), cancellationToken: Ct) is not null);
        await EventuallyAsync(() => Task.FromResult(match.Hub.Memory[MemoryAccount.Connections] < 10 * (64 << 10)));
    }

    [Fact]
    public async Task A_waiting_subscriber_learns_that_the_bridge_stops()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { SubscriptionsPerSecond = 1 });
        await using var match = await ServedMatch.StartAsync(options => options with { Admission = admission });
        using var client = match.Client();
        var crowd = Enumerable.Range(0, 60)
            .Select(_ => client.Subscribe(new SubscribeRequest(), cancellationToken: Ct)).ToList();
        try
        {
            await match.Hub.WaitForSubscribersAsync(1, Ct);
            await match.Server.DisposeAsync();
            foreach (var call in crowd)
            {
                await call.ResponseStream.EndsWithAsync(GrpcCode.Unavailable);
            }
        }
        finally
        {
            crowd.ForEach(call => call.Dispose());
        }
    }

    [Fact]
    public async Task A_subscription_beyond_the_limit_is_refused_before_the_hub_knows_of_it()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { Subscriptions = 1 });
        await using var match = await ServedMatch.StartAsync(options => options with { Admission = admission });
        using var client = match.Client();
        using (var first = client.Subscribe(new SubscribeRequest(), cancellationToken: Ct))
        {
            await match.Hub.WaitForSubscribersAsync(1, Ct);
            using var second = client.Subscribe(new SubscribeRequest(), cancellationToken: Ct);
            var refused = await Assert.ThrowsAsync<RpcException>(() => second.ResponseStream.MoveNext(Ct));
            Assert.Equal(
                (GrpcCode.ResourceExhausted, "The bridge has reached its limit for subscriptions: 1. Close some, or start it with a higher --max-subscriptions"),
                (refused.StatusCode, refused.Status.Detail));
        }

        await match.WaitUntilNobodySubscribesAsync();
        await EventuallyAsync(async () =>
        {
            using var third = client.Subscribe(new SubscribeRequest(), cancellationToken: Ct);
            await third.ResponseHeadersAsync;
            return match.Hub.Subscribers.Count == 1;
        });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_connection_that_never_sends_a_byte_is_cut(bool grpc)
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { IdleTimeout = TimeSpan.FromMilliseconds(200) });
        await using var match = await ServedMatch.StartAsync(
            options => options with { Admission = admission, WebAddress = "127.0.0.1:0" });
        using var idle = await ConnectAsync(grpc ? match.Address : match.Server.WebAddress);
        await ReadToEndAsync(idle).WaitAsync(TimeSpan.FromSeconds(30), Ct);
    }

    [Fact]
    public async Task A_client_that_sends_no_request_gets_the_reason_and_is_disconnected()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { IdleTimeout = TimeSpan.FromMilliseconds(200) });
        await using var match = await ServedMatch.StartAsync(
            options => options with { Admission = admission, WebAddress = "127.0.0.1:0" });
        using var client = match.Client();
        using var call = client.Play(cancellationToken: Ct);
        Assert.Contains(
            "first message", (await call.ResponseStream.EndsWithAsync(GrpcCode.DeadlineExceeded)).Status.Detail, StringComparison.Ordinal);

        using var agent = await WebSocketAsync(match);
        Assert.Contains("first message", await agent.FailsAsync((uint)GrpcCode.DeadlineExceeded), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Open_calls_beyond_twice_the_connections_are_refused_on_however_few_they_come()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { Connections = 4 });
        await using var match = await ServedMatch.StartAsync(
            options => options with { Admission = admission, WebAddress = "127.0.0.1:0" });
        using var client = match.Client();
        var open = new List<AsyncDuplexStreamingCall<PlayRequest, PlayResponse>>();
        await EventuallyAsync(async () =>
        {
            try
            {
                await client.DescribeAsync(new DescribeRequest(), cancellationToken: Ct);

                // This request may have used the place of the last one, which was then refused.
                open.Add(client.Play(cancellationToken: Ct));
                return false;
            }
            catch (RpcException refused) when (refused.StatusCode == GrpcCode.ResourceExhausted)
            {
                return refused.Status.Detail == "The bridge has reached its limit for requests: 8. Close some, or start it with a higher --max-connections";
            }
        });
        using (var http = new HttpClient())
        using (var answer = await http.GetAsync(new Uri($"http://{match.Server.WebAddress}/health"), Ct))
        {
            Assert.Equal(HttpStatusCode.ServiceUnavailable, answer.StatusCode);
            Assert.Contains("--max-connections", await answer.Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);
        }

        open.ForEach(call => call.Dispose());
        await EventuallyAsync(async () =>
            await client.DescribeAsync(new DescribeRequest(), cancellationToken: Ct) is not null);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Only_clients_with_unfinished_long_messages_are_disconnected(bool grpc)
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { UnfinishedBytes = Unfinished + (100 << 10) });
        await using var match = await ServedMatch.StartAsync(
            options => options with { Admission = admission, WebAddress = "127.0.0.1:0" });
        using var client = match.Client();
        using var agent = await WebSocketAsync(match);

        // 400 KiB in an unknown field.
        var question = DescribeRequest.Parser.ParseFrom([0xA2, 0x06, 0x80, 0x80, 0x19, .. new byte[400 << 10]]);
        var cut = grpc ? BeginMessageAsync(match) : BeginMessageAsync(await WebSocketAsync(match));
        await EventuallyAsync(async () =>
        {
            Assert.Equal(ServedMatch.Match, (await client.DescribeAsync(question, cancellationToken: Ct)).Match.MatchId);
            await agent.SendAsync(new PlayRequest { Describe = question });
            Assert.Equal(ServedMatch.Match, (await agent.ReceiveAsync())!.Describe.Match.MatchId);
            return cut.IsCompleted;
        });
        Assert.Equal(admission.Unfinished.RefusalMessage, await cut);
    }

    [Fact]
    public async Task A_call_by_a_foreign_name_is_refused_in_one_line()
    {
        await using var match = await ServedMatch.StartAsync();
        using var http = new HttpClient();
        using var request = RawCall.Request(match, "Describe", RawCall.Framed([]));
        request.Headers.Host = "rebound.example.com";
        using var answer = await http.SendAsync(request, Ct);
        Assert.Equal(["7"], answer.Headers.GetValues("grpc-status"));
        Assert.Contains("rebound.example.com", Uri.UnescapeDataString(answer.Headers.GetValues("grpc-message").Single()));
    }

    // Sends the beginning of a message without its end. Returns the reason for the refusal.
    private static async Task<string> BeginMessageAsync(ServedMatch match)
    {
        using var http = new HttpClient();
        using var request = RawCall.Request(match, "Describe", []);
        request.Content = new Beginning();
        request.Content.Headers.ContentType = new("application/grpc");
        using var answer = await http.SendAsync(request, Ct);
        return Uri.UnescapeDataString(answer.Headers.GetValues("grpc-message").Single());
    }

    private static async Task<string> BeginMessageAsync(AgentSocket socket)
    {
        using var stranger = socket;
        await stranger.Socket.SendAsync(new byte[Unfinished], WebSocketMessageType.Binary, endOfMessage: false, Ct);
        return (await stranger.ReceiveAsync())!.Error.Message;
    }

    private static Task<AgentSocket> WebSocketAsync(ServedMatch match) =>
        AgentSocket.ConnectAsync($"ws://{match.Server.WebAddress}/v1", "sc2bridge.proto.v1");

    private static async Task<Socket> ConnectAsync(string address)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPEndPoint.Parse(address), Ct);
        return socket;
    }

    private static async Task<string> ReadToEndAsync(Socket socket)
    {
        var text = new StringBuilder();
        var buffer = new byte[4096];
        try
        {
            while (await socket.ReceiveAsync(buffer, Ct) is > 0 and var count)
            {
                text.Append(Encoding.Latin1.GetString(buffer, 0, count));
            }
        }
        catch (SocketException)
        {
            // A reset also ends the connection.
        }

        return text.ToString();
    }

    private static async Task EventuallyAsync(Func<Task<bool>> holds)
    {
        for (; ; await Task.Delay(20, Ct))
        {
            try
            {
                if (await holds())
                {
                    return;
                }
            }
            catch (RpcException) when (!Ct.IsCancellationRequested)
            {
                // Not closed yet.
            }
        }
    }

    // The beginning of a gRPC message of one MiB.
    private sealed class Beginning : HttpContent
    {
        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.WriteAsync((byte[])[0, 0, 0x10, 0, 0, .. new byte[Unfinished]], Ct);
            await stream.FlushAsync(Ct);
            await Task.Delay(Timeout.Infinite, Ct);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
