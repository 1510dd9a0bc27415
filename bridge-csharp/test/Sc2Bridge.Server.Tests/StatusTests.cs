using Sc2Bridge.Admission;
using GrpcCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>The stream's state, as each transport reports it.</summary>
public sealed class StatusTests
{
    [Theory]
    [InlineData("sc2bridge.json.v1", "ws.json")]
    [InlineData("sc2bridge.proto.v1", "ws.proto")]
    public async Task Each_transport_tells_the_same_and_counts_the_bytes_that_it_sent(string subProtocol, string transport)
    {
        await using var match = await ServedMatch.StartAsync(options => options with { WebAddress = "127.0.0.1:0" });
        using var client = match.Client();
        using var stream = client.Subscribe(new SubscribeRequest { Agent = "over grpc" }, cancellationToken: Ct);
        using var agent = await ConnectAsync(match, subProtocol);
        await agent.SubscribeAsync("over the web");
        await match.Hub.WaitForSubscribersAsync(2, Ct);
        await match.PublishAsync(5, size: 1000);
        var frame = await stream.ResponseStream.NextAsync();
        var bytes = (await agent.ReceiveAsync())!.CalculateSize();

        await agent.SendAsync(new PlayRequest { RequestId = 3, Status = new StatusRequest() });
        var told = (await agent.ReceiveAsync())!;
        Assert.Equal((3u, ServedMatch.Match, 1ul), (told.RequestId, told.Status.MatchId, told.Status.Steps));
        var status = await client.StatusAsync(new StatusRequest(), cancellationToken: Ct);
        foreach (var answer in (StatusResponse[])[told.Status, status])
        {
            var web = answer.Subscribers.Single(one => one.Name == "over the web");
            Assert.Equal((transport, 1ul, 0ul), (web.Transport, web.Delivered, web.Dropped));
            Assert.Equal(transport == "ws.proto", web.Bytes == (ulong)bytes);
            Assert.True(web.Bytes >= 1000);
            var grpc = answer.Subscribers.Single(one => one.Name == "over grpc");
            Assert.Equal(("grpc", (ulong)frame!.CalculateSize()), (grpc.Transport, grpc.Bytes));
        }

        // The meter is shared by the process, so other tests may add encodings.
        Assert.True(transport == "ws.proto" || status.Encodings.Any(
            kind => kind is { Encoding: "json", Count: > 0, TimeNs: > 0, Bytes: >= 1000 }));
    }

    [Fact]
    public async Task Separated_sides_are_not_reported_without_a_token()
    {
        await using var match = await ServedMatch.StartAsync(
            apart: true,
            change: options => options with
            {
                WebAddress = "127.0.0.1:0",
                Tokens = TokenStore.Empty.With("a-token-0123456789", new Identity("watcher", Roles.Watch)),
            });
        using var client = match.Client();
        await client.StatusAsync(new StatusRequest(), cancellationToken: Ct).RefusedAsync(GrpcCode.Unauthenticated);
        using var agent = await ConnectAsync(match, "sc2bridge.json.v1");
        await agent.SendAsync(new PlayRequest { RequestId = 4, Status = new StatusRequest() });
        var refused = (await agent.ReceiveAsync())!;
        Assert.Equal((16u, 4u, false), (refused.Error.Code, refused.RequestId, refused.Error.Fatal));
        var shown = new Grpc.Core.Metadata { { "authorization", "Bearer a-token-0123456789" } };
        Assert.Empty((await client.StatusAsync(new StatusRequest(), shown, cancellationToken: Ct)).Subscribers);
    }

    private static Task<AgentSocket> ConnectAsync(ServedMatch match, string subProtocol) =>
        AgentSocket.ConnectAsync($"ws://{match.Server.WebAddress}/v1", subProtocol);
}
