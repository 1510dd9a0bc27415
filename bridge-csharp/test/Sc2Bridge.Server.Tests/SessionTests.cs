using Grpc.Core;
using SC2APIProtocol;
using StatusCode = Sc2Bridge.Streaming.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Calls on other connections that belong to a subscriber by its session.</summary>
public sealed class SessionTests
{
    private const string Mine = "my-token-0123456789";
    private const string Other = "another-token-0123456789";
    private static readonly Request _query = new() { Query = new RequestQuery() };

    public static TheoryData<string, string> Ways { get; } = new(
        from subscribed in new[] { "grpc", "json", "ws", "shm" }
        from called in new[] { "grpc", "json", "ws", "shm" }
        select (subscribed, called));

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_call_with_a_session_is_recorded_under_its_subscribers_name_and_side(string subscribed, string called)
    {
        await using var match = await StartAsync();
        var heard = new List<RequestRecord>();
        match.Hub.Events.Requested += request => heard.Add(request.Record);
        using var first = await AgentClient.ConnectAsync(match, subscribed, Mine);
        using var second = await AgentClient.ConnectAsync(match, subscribed, Mine);
        await first.SubscribeAsync(match);
        await second.SubscribeAsync(match);
        var session = await second.SessionAsync();
        Assert.Equal("agent-2", session.Name);
        Assert.Matches("^[0-9a-f]{32}$", session.SessionId);
        Assert.NotEqual(session.SessionId, (await first.SessionAsync()).SessionId);

        foreach (var id in new[] { session.SessionId, "" })
        {
            var calls = await CallAsync(match, called, Mine, id);
            Assert.Equal([0u, StatusCode.FailedPrecondition, 0u], calls.Select(call => call?.Code ?? 0));
            Assert.Contains("is not played from a recording", calls[1]!.Message, StringComparison.Ordinal);
        }

        Assert.Equal(
            [("agent-2", ServedMatch.Side), ("", 0u)], heard.Of(match.Hub).Select(record => (record.Agent, record.Perspective)));
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("json")]
    [InlineData("shm")]
    public async Task A_session_takes_the_identity_that_it_was_subscribed_with(string called)
    {
        await using var match = await StartAsync();
        using var agent = await AgentClient.ConnectAsync(match, "ws", Mine);
        await agent.SubscribeAsync(match);
        var calls = await CallAsync(match, called, Other, (await agent.SessionAsync()).SessionId);
        Assert.All(calls, call => Assert.Equal(StatusCode.PermissionDenied, call?.Code));
        Assert.All(calls, call => Assert.Contains("another client's", call?.Message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("json")]
    [InlineData("shm")]
    public async Task An_ended_or_unknown_session_is_refused_but_may_restart_the_match(string called)
    {
        await using var match = await StartAsync();
        string ended;
        using (var agent = await AgentClient.ConnectAsync(match, "ws", Mine))
        {
            await agent.SubscribeAsync(match);
            ended = (await agent.SessionAsync()).SessionId;
        }

        await match.WaitUntilNobodySubscribesAsync();
        foreach (var id in new[] { ended, "0123456789abcdef0123456789abcdef" })
        {
            var calls = await CallAsync(match, called, Mine, id);
            Assert.All(calls, call => Assert.Equal(StatusCode.FailedPrecondition, call?.Code));
            Assert.All(calls, call => Assert.Contains("this session has ended", call?.Message, StringComparison.Ordinal));
            var restart = await ControlAsync(match, called, new ControlRequest { Restart = 5, SessionId = id });
            Assert.DoesNotContain("session has ended", restart?.Message, StringComparison.Ordinal);
            Assert.Contains("--restarts", restart?.Message, StringComparison.Ordinal);
        }
    }

    // Field 5 was the sender's name.
    [Fact]
    public async Task No_message_names_its_sender()
    {
        await using var match = await StartAsync();
        using var client = match.Client();
        var heard = new List<string>();
        match.Hub.Events.Requested += request => heard.Add(request.Record.Agent);
        var named = CallGameRequest.Parser.ParseFrom([.. new CallGameRequest { Request = _query }.ToByteArray(), 0x2A, 1, (byte)'a']);
        await client.CallGameAsync(named, AgentClient.Shown(Mine), cancellationToken: Ct);
        Assert.Equal([""], heard.Of(match.Hub));
        Assert.DoesNotContain(
            PlayRequest.Descriptor.Oneofs[0].Fields.Where(field => field.FieldNumber != PlayRequest.SubscribeFieldNumber),
            field => field.MessageType.FindFieldByName("agent") is not null);
    }

    private static Task<ServedMatch> StartAsync()
    {
        var player = new Identity("player", Roles.Watch | Roles.Hold | Roles.Play | Roles.Control);
        return ServedMatch.StartAsync(options => options with
        {
            WebAddress = "127.0.0.1:0",
            SharedMemoryName = BridgeServerOptions.NewSharedMemoryName(),
            Tokens = TokenStore.Empty.With(Mine, player).With(Other, player with { Name = "other" }),
        });
    }

    // How a query, a control and a status are refused; null if they are not.
    private static async Task<Error?[]> CallAsync(ServedMatch match, string called, string token, string session)
    {
        var (query, pause) = (new CallGameRequest { Request = _query, SessionId = session }, new ControlRequest { Pause = true, SessionId = session });
        var status = new StatusRequest { SessionId = session };
        if (called != "grpc")
        {
            return [
                await AskAsync(match, called, token, new() { CallGame = query }),
                await AskAsync(match, called, token, new() { Control = pause }),
                await AskAsync(match, called, token, new() { Status = status }),
            ];
        }

        using var client = match.Client();
        var shown = AgentClient.Shown(token);
        return [
            await RefusalAsync(client.CallGameAsync(query, shown, cancellationToken: Ct)),
            await RefusalAsync(client.ControlAsync(pause, shown, cancellationToken: Ct)),
            await RefusalAsync(client.StatusAsync(status, shown, cancellationToken: Ct)),
        ];
    }

    private static async Task<Error?> ControlAsync(ServedMatch match, string called, ControlRequest request)
    {
        using var client = match.Client();
        return called == "grpc"
            ? await RefusalAsync(client.ControlAsync(request, AgentClient.Shown(Mine), cancellationToken: Ct))
            : await AskAsync(match, called, Mine, new PlayRequest { Control = request });
    }

    private static async Task<Error?> AskAsync(ServedMatch match, string called, string token, PlayRequest request)
    {
        using var asker = await AgentClient.ConnectAsync(match, called, token);
        await asker.SendAsync(request);
        return (await asker.ReceiveAsync())!.Error;
    }

    private static async Task<Error?> RefusalAsync<T>(AsyncUnaryCall<T> call)
    {
        try
        {
            await call;
            return null;
        }
        catch (RpcException refused)
        {
            return new Error { Code = (uint)refused.StatusCode, Message = refused.Status.Detail };
        }
    }
}
