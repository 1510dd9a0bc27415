using Sc2Bridge.Admission;

namespace Sc2Bridge.Server.Tests;

/// <summary>A match with separated sides, over the WebSocket.</summary>
public sealed class WebSocketTokenTests
{
    private static readonly string _token = TokenStore.NewToken();
    private static readonly TokenStore _tokens = TokenStore.Empty.With(
        _token, new Identity("mine", Roles.Watch | Roles.Hold | Roles.Play, WebSocketMatch.Side));

    [Theory]
    [InlineData("sc2bridge.json.v1")]
    [InlineData("sc2bridge.proto.v1")]
    public async Task A_token_opens_its_side_for_the_whole_connection(string subProtocol)
    {
        await using var match = await WebSocketMatch.StartAsync(_tokens, apart: true);
        using var agent = await match.ConnectAsync(subProtocol, token: _token);
        await agent.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest() });
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        await agent.SendAsync(Asking(WebSocketMatch.Side, 5));
        Assert.Equal(5u, (await agent.ReceiveAsync())?.RequestId);
        await agent.SendAsync(new PlayRequest { Describe = new DescribeRequest() });
        Assert.NotNull((await agent.ReceiveAsync())?.Describe.Match.GameInfo);
        await agent.SendAsync(Asking(1, 6));
        var refused = (await agent.ReceiveAsync())!;
        Assert.Equal((StatusCode.PermissionDenied, 6u, false), (refused.Error.Code, refused.RequestId, refused.Error.Fatal));
        await match.PublishAsync(WebSocketMatch.Observation(0).ToByteArray());
        Assert.Equal(WebSocketMatch.Side, (await agent.ReceiveAsync())?.Frame.Perspective);
    }

    [Theory]
    [InlineData("sc2bridge.json.v1")]
    [InlineData("sc2bridge.proto.v1")]
    public async Task Other_sides_are_refused_with_one_error(string subProtocol)
    {
        await using var match = await WebSocketMatch.StartAsync(_tokens, apart: true);
        foreach (var (token, wrong, code, says) in ((string?, SubscribeRequest, uint, string)[])
            [
                (null, new(), StatusCode.Unauthenticated, "SC2BRIDGE_TOKEN"),
                (null, new() { Perspective = WebSocketMatch.Side }, StatusCode.Unauthenticated, "SC2BRIDGE_TOKEN"),
                (_token, new() { Perspective = 0 }, StatusCode.PermissionDenied, "player 2's"),
            ])
        {
            using var agent = await match.ConnectAsync(subProtocol, token: token);
            await agent.SendAsync(new PlayRequest { Subscribe = wrong });
            Assert.Contains(says, await agent.FailsAsync(code), StringComparison.Ordinal);
        }

        using var asker = await match.ConnectAsync(subProtocol);
        await asker.SendAsync(Asking(WebSocketMatch.Side, 7));
        Assert.Equal(StatusCode.Unauthenticated, (await asker.ReceiveAsync())?.Error.Code);
        await asker.SendAsync(new PlayRequest { Describe = new DescribeRequest() });
        Assert.Equal(StatusCode.Unauthenticated, (await asker.ReceiveAsync())?.Error.Code);
        await asker.SendAsync(new PlayRequest { Describe = new DescribeRequest { WithoutGameInfo = true } });
        Assert.Null((await asker.ReceiveAsync())?.Describe.Match.GameInfo);
        Assert.Empty(match.Hub.Subscribers);
    }

    [Fact]
    public async Task An_unknown_token_is_refused_before_the_upgrade()
    {
        await using var match = await WebSocketMatch.StartAsync(_tokens, apart: true);
        using var client = new HttpClient();
        foreach (var shown in (string[])["Bearer guessed", "Basic eDp5", "Bearer", "", $"Bearer {_token}x"])
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, $"http://{match.Authority}/v1");
            request.Headers.TryAddWithoutValidation("Authorization", shown);
            request.Headers.Add("Origin", $"http://{match.Authority}");
            using var answer = await client.SendAsync(request, Ct);
            Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
            Assert.Equal([$"http://{match.Authority}"], answer.Headers.GetValues("Access-Control-Allow-Origin"));
            Assert.Equal("Bearer", $"{answer.Headers.WwwAuthenticate}");
            var line = await answer.Content.ReadAsStringAsync(Ct);
            Assert.Single(line.TrimEnd('\n').Split('\n'));
            Assert.DoesNotContain("guessed", line, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_browsers_token_stands_in_the_query()
    {
        await using var match = await WebSocketMatch.StartAsync(_tokens, apart: true);
        using var agent = await AgentSocket.ConnectAsync($"{match.Url}?token={_token}", "sc2bridge.json.v1");
        await agent.SendAsync(new PlayRequest { Describe = new DescribeRequest() });
        Assert.NotNull((await agent.ReceiveAsync())?.Describe.Match.GameInfo);
    }

    private static PlayRequest Asking(uint perspective, uint id) => new()
    {
        RequestId = id,
        CallGame = new CallGameRequest { Perspective = perspective, Request = new() { Query = new() } },
    };
}
