using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server.Tests;

/// <summary>The versions of bridge and clients, and the request ids in answers.</summary>
public sealed class VersionTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Hello_is_answered_before_a_match_and_before_a_subscription(bool hasMore)
    {
        using var hub = new Hub(new HubOptions { Restarts = hasMore ? new Restarts() : null });
        var options = new BridgeServerOptions
        {
            GrpcAddress = "127.0.0.1:0",
            WebAddress = "127.0.0.1:0",
            SharedMemoryName = hasMore ? BridgeServerOptions.NewSharedMemoryName() : null,
        };
        await using var server = await BridgeServer.StartAsync(hub, options, Ct);
        using var client = new GrpcClient(server.GrpcAddress);
        var request = new HelloRequest { ProtocolVersion = 1, Client = "test 0.1.0" };
        var hello = await client.HelloAsync(request, cancellationToken: Ct);
        Assert.Equal((BridgeVersion.Program, 1u, 1u), (hello.BridgeVersion, hello.ProtocolVersion, hello.OldestProtocolVersion));
        Assert.Equal(
            "actions columns zstd group-zstd call-game control status" + (hasMore ? " restart shared-memory" : ""),
            string.Join(' ', hello.Capabilities));
        using var agent = await AgentSocket.ConnectAsync($"ws://{server.WebAddress}/v1", "sc2bridge.json.v1");
        await agent.SendAsync(new PlayRequest { RequestId = 9, Hello = request });
        Assert.Equal(new PlayResponse { RequestId = 9, Hello = hello }, await agent.ReceiveAsync());
    }

    [Fact]
    public async Task Hello_takes_no_role()
    {
        await using var match = await ServedMatch.StartEverywhereAsync(
            TokenStore.Empty.With("a-token-0123456789", new Identity("nobody", Roles.None)));
        Assert.Null(await AgentClient.AskAsync(match, "ws", "a-token-0123456789", new() { Hello = new() }));
    }

    [Fact]
    public void A_client_that_is_too_old_gets_one_error_with_both_versions()
    {
        OldClients.Check(new HelloRequest(), oldest: 3);
        OldClients.Check(new HelloRequest { ProtocolVersion = 3 }, oldest: 3);
        var refused = Assert.Throws<RequestRefusedException>(
            () => OldClients.Check(new HelloRequest { ProtocolVersion = 2, Client = "sc2bridge-python 0.0.9" }, oldest: 3));
        Assert.Equal(StatusCode.FailedPrecondition, refused.Code);
        Assert.StartsWith(
            $"client sc2bridge-python 0.0.9 speaks protocol 2, and bridge {BridgeVersion.Program} serves protocol 3 to ", refused.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_gRPC_client_from_before_gets_one_error_with_both_versions()
    {
        await using var match = await ServedMatch.StartAsync();
        foreach (var method in (string[])["Describe", "Subscribe", "Play", "Request", "Control", "Status"])
        {
            var refused = await RawCall.SendAsync(match, $"../sc2bridge.v1.Bridge/{method}", RawCall.Framed([]));
            Assert.Equal(Grpc.Core.StatusCode.Unimplemented, refused.StatusCode);
            NamesBothVersions(refused.Detail);
        }
    }

    [Theory]
    [InlineData("sc2bridge.v1.json")]
    [InlineData("sc2bridge.v1.proto")]
    public async Task A_WebSocket_client_from_before_gets_one_error_with_both_versions(string subProtocol)
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var agent = await match.ConnectAsync(subProtocol);
        Assert.Equal(subProtocol, agent.Socket.SubProtocol);
        NamesBothVersions(await agent.FailsAsync(StatusCode.Unimplemented));
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("json")]
    [InlineData("ws")]
    [InlineData("shm")]
    public async Task Each_answer_and_each_refusal_repeats_the_id_of_its_request(string transport)
    {
        await using var match = await ServedMatch.StartEverywhereAsync(TokenStore.Empty);
        using var agent = await AgentClient.ConnectAsync(match, transport);
        var query = new SC2APIProtocol.Request { Query = new() };
        var id = uint.MaxValue;
        foreach (var (request, answer) in ((PlayRequest, PlayResponse.EventOneofCase)[])
            [
                (new() { Hello = new() }, PlayResponse.EventOneofCase.Hello),
                (new() { Describe = new() }, PlayResponse.EventOneofCase.Describe),
                (new() { Describe = new() { MatchId = "another" } }, PlayResponse.EventOneofCase.Error),
                (new() { CallGame = new() { Request = query } }, PlayResponse.EventOneofCase.CallGame),
                (new() { CallGame = new() { Request = new() { Step = new() } } }, PlayResponse.EventOneofCase.Error),
                (new() { Status = new() }, PlayResponse.EventOneofCase.Status),
                (new() { Status = new() { SessionId = "unknown" } }, PlayResponse.EventOneofCase.Error),
                (new() { Control = new() { Pause = true } }, PlayResponse.EventOneofCase.Error),
                (new() { Subscribe = new() }, PlayResponse.EventOneofCase.Subscribe),
                (new() { Clock = new() }, PlayResponse.EventOneofCase.Clock),
                (new() { Subscribe = new() }, PlayResponse.EventOneofCase.Error),
            ])
        {
            request.RequestId = answer == PlayResponse.EventOneofCase.Clock ? 0 : id--;
            await agent.SendAsync(request);
            var next = await agent.NextAsync();

            // A gRPC status has no request id.
            var expected = transport == "grpc" && next?.Error is { Fatal: true } ? 0 : request.RequestId;
            Assert.Equal((expected, answer), (next?.RequestId ?? 0, next?.EventCase));
        }
    }

    private static void NamesBothVersions(string said) => Assert.Equal(
        $"a client from before 0.1.0 speaks protocol 0, and bridge {BridgeVersion.Program} serves protocol 1 to 1: update the client "
        + "(pip install -U sc2bridge)",
        said);
}
