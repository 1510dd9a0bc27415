using System.Net;
using System.Net.Sockets;
using System.Text;
using Grpc.Core;
using Sc2Bridge.V1;
using GrpcCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Crowds at the door: what is over a limit is refused, and who is in notices nothing.</summary>
public sealed class AdmissionTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

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
            new SubscribeRequest { Agent = "good", Policy = Policy.Every }, cancellationToken: Token);
        await match.Hub.WaitForSubscribersAsync(1, Token);
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

            // The last two came to each port.
            var refused = await ReadToEndAsync(crowd[^1]);
            Assert.StartsWith("HTTP/1.1 503 Service Unavailable\r\n", refused);
            Assert.EndsWith("\r\n\r\nThe bridge has its most connections, 50 (--max-connections)\n", refused);
            Assert.EndsWith("The bridge has its most connections, 50 (--max-connections)", await ReadToEndAsync(crowd[^2]));
        }
        finally
        {
            crowd.ForEach(one => one.Dispose());
        }

        // Their places are free again.
        using var next = match.Client();
        await EventuallyAsync(async () =>
            await next.DescribeAsync(new DescribeRequest(), cancellationToken: Token) is not null);
    }

    [Fact]
    public async Task A_subscription_beyond_the_limit_is_refused_before_the_hub_knows_of_it()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { Subscriptions = 1 });
        await using var match = await ServedMatch.StartAsync(options => options with { Admission = admission });
        using var client = match.Client();
        using (var first = client.Subscribe(new SubscribeRequest(), cancellationToken: Token))
        {
            await match.Hub.WaitForSubscribersAsync(1, Token);
            using var second = client.Subscribe(new SubscribeRequest(), cancellationToken: Token);
            var refused = await Assert.ThrowsAsync<RpcException>(() => second.ResponseStream.MoveNext(Token));
            Assert.Equal(
                (GrpcCode.ResourceExhausted, "The bridge has its most subscriptions, 1 (--max-subscriptions)"),
                (refused.StatusCode, refused.Status.Detail));
        }

        await match.WaitUntilNobodySubscribesAsync();
        await EventuallyAsync(async () =>
        {
            using var third = client.Subscribe(new SubscribeRequest(), cancellationToken: Token);
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
        await ReadToEndAsync(idle).WaitAsync(TimeSpan.FromSeconds(30), Token);
    }

    [Fact]
    public async Task A_call_by_a_foreign_name_is_refused_in_one_line()
    {
        await using var match = await ServedMatch.StartAsync();
        using var http = new HttpClient { DefaultRequestVersion = HttpVersion.Version20, DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact };
        using var request = new HttpRequestMessage(HttpMethod.Post, $"http://{match.Address}/sc2bridge.v1.Bridge/Describe")
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent([0, 0, 0, 0, 0]),
        };
        request.Headers.Host = "rebound.example.com";
        request.Content.Headers.ContentType = new("application/grpc");
        using var answer = await http.SendAsync(request, Token);
        Assert.Equal(["7"], answer.Headers.GetValues("grpc-status"));
        Assert.Contains("rebound.example.com", Uri.UnescapeDataString(answer.Headers.GetValues("grpc-message").Single()));
    }

    private static async Task<Socket> ConnectAsync(string address)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPEndPoint.Parse(address), Token);
        return socket;
    }

    private static async Task<string> ReadToEndAsync(Socket socket)
    {
        var text = new StringBuilder();
        var buffer = new byte[4096];
        try
        {
            while (await socket.ReceiveAsync(buffer, Token) is > 0 and var count)
            {
                text.Append(Encoding.Latin1.GetString(buffer, 0, count));
            }
        }
        catch (SocketException)
        {
            // Reset, which is an end too.
        }

        return text.ToString();
    }

    private static async Task EventuallyAsync(Func<Task<bool>> holds)
    {
        for (; ; await Task.Delay(20, Token))
        {
            try
            {
                if (await holds())
                {
                    return;
                }
            }
            catch (RpcException) when (!Token.IsCancellationRequested)
            {
                // Not yet.
            }
        }
    }
}
