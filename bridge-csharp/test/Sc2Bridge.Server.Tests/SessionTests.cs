using SC2APIProtocol;
using StatusCode = Sc2Bridge.Streaming.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Calls on other connections that belong to a subscriber by its session ID.</summary>
public sealed class SessionTests
{
    private const string Mine = "my-token-0123456789";
    private const string Other = "another-token-0123456789";
    private static readonly string[] _transports = ["grpc", "json", "ws", "shm"];

    public static TheoryData<string, string> Ways { get; } =
        new(_transports.SelectMany(subscribed => _transports.Select(called => (subscribed, called))));

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_call_with_a_session_is_recorded_under_its_subscribers_name_and_side(string subscribed, string called)
    {
        await using var match = await StartAsync();
        var heard = new List<RequestRecord>();
        match.Hub.Events.RequestAnswered += request => heard.Add(request.Record);
        using var first = await AgentClient.ConnectAsync(match, subscribed, Mine);
        using var second = await AgentClient.ConnectAsync(match, subscribed, Mine);
        await first.SubscribeAsync(match);
        await second.SubscribeAsync(match);
        var session = (await second.NextAsync())!.Subscribe;
        Assert.Equal("agent-2", session.Name);
        Assert.Matches("^[0-9a-f]{32}$", session.SessionId);
        Assert.NotEqual(session.SessionId, (await first.NextAsync())!.Subscribe.SessionId);
        foreach (var id in new[] { session.SessionId, "" })
        {
            Assert.Equal([0, StatusCode.FailedPrecondition, 0u], (await AskAsync(match, called, Mine, id)).Select(error => error?.Code ?? 0));
        }

        Assert.Equal(
            [("agent-2", ServedMatch.Side), ("", 0u)], heard.Of(match.Hub).Select(record => (record.Agent, record.Perspective)));
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("json")]
    [InlineData("shm")]
    public async Task A_session_of_another_identity_is_refused_and_an_ended_one_may_only_restart(string called)
    {
        await using var match = await StartAsync();
        string id;
        using (var agent = await AgentClient.ConnectAsync(match, "ws", Mine))
        {
            await agent.SubscribeAsync(match);
            id = (await agent.NextAsync())!.Subscribe.SessionId;
            Assert.All(await AskAsync(match, called, Other, id), error => Says(error, StatusCode.PermissionDenied, "another client's"));
            var restart = new PlayRequest { Control = new() { Restart = 5, SessionId = id } };
            Says(await AgentClient.AskAsync(match, called, Other, restart), StatusCode.PermissionDenied, "another client's");
        }

        await match.WaitUntilNobodySubscribesAsync();
        foreach (var old in new[] { id, "0123456789abcdef0123456789abcdef" })
        {
            Assert.All(await AskAsync(match, called, Mine, old), error => Says(error, StatusCode.FailedPrecondition, "session has ended"));
            var restart = new PlayRequest { Control = new() { Restart = 5, SessionId = old } };
            Says(await AgentClient.AskAsync(match, called, Mine, restart), StatusCode.FailedPrecondition, "--restarts");
        }
    }

    // Field 5 was the sender's name.
    [Fact]
    public async Task No_message_names_its_sender()
    {
        await using var match = await StartAsync();
        var heard = new List<string>();
        match.Hub.Events.RequestAnswered += request => heard.Add(request.Record.Agent);
        var named = CallGameRequest.Parser.ParseFrom([.. Query("").ToByteArray(), 0x2A, 1, (byte)'a']);
        Assert.Null(await AgentClient.AskAsync(match, "grpc", Mine, new() { CallGame = named }));
        Assert.Equal([""], heard.Of(match.Hub));
        var others = PlayRequest.Descriptor.Oneofs[0].Fields.Where(field => field.FieldNumber != PlayRequest.SubscribeFieldNumber);
        Assert.DoesNotContain(others, field => field.MessageType.FindFieldByName("agent") is not null);
    }

    private static Task<ServedMatch> StartAsync()
    {
        var player = new Identity("player", Roles.Watch | Roles.Hold | Roles.Play | Roles.Control);
        return ServedMatch.StartEverywhereAsync(TokenStore.Empty.With(Mine, player).With(Other, player with { Name = "other" }));
    }

    private static CallGameRequest Query(string session) =>
        new() { Request = new Request { Query = new RequestQuery() }, SessionId = session };

    // The refusals of a query, a control request and a status request.
    private static async Task<Error?[]> AskAsync(ServedMatch match, string called, string token, string session) =>
    [
        await AgentClient.AskAsync(match, called, token, new() { CallGame = Query(session) }),
        await AgentClient.AskAsync(match, called, token, new() { Control = new() { Pause = true, SessionId = session } }),
        await AgentClient.AskAsync(match, called, token, new() { Status = new() { SessionId = session } }),
    ];

    private static void Says(Error? error, uint code, string words)
    {
        Assert.Equal(code, error?.Code);
        Assert.Contains(words, error!.Message, StringComparison.Ordinal);
    }
}
