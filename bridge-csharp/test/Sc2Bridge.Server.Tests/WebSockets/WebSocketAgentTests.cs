using SC2APIProtocol;

namespace Sc2Bridge.Server.Tests;

/// <summary>Messages that agents may send, and the answers.</summary>
public sealed class WebSocketAgentTests
{
    private const string Json = "sc2bridge.json.v1";
    private const string Proto = "sc2bridge.proto.v1";

    [Theory]
    [InlineData(Json, false)]
    [InlineData(Json, true)]
    [InlineData(Proto, false)]
    [InlineData(Proto, true)]
    public async Task A_match_is_received_from_its_description_to_its_end(string subProtocol, bool deflate)
    {
        await using var match = await WebSocketMatch.StartAsync(deflate);
        using var agent = await match.ConnectAsync(subProtocol, deflate);
        await agent.SendAsync(new PlayRequest { Clock = new Clock { AgentNs = 7 } });
        var clock = (await agent.ReceiveAsync())!.Clock;
        Assert.Equal(7, clock.AgentNs);
        Assert.NotEqual(0, clock.BridgeNs);

        await agent.SendAsync(new PlayRequest { Describe = new DescribeRequest { WithoutData = true } });
        var description = (await agent.ReceiveAsync())!.Describe.Match;
        Assert.Equal("Cinder Fortress LE", description.GameInfo.MapName);
        Assert.Null(description.Data);
        await agent.SendAsync(new PlayRequest { Describe = new DescribeRequest() });
        Assert.NotNull((await agent.ReceiveAsync())!.Describe.Match.Data);

        await agent.SubscribeAsync();
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        for (var loop = 0u; loop < 3; loop++)
        {
            await match.PublishAsync(WebSocketMatch.Observation(loop, 200_000).ToByteArray());
            Assert.Equal(WebSocketMatch.Observation(loop, 200_000), (await agent.ReceiveAsync())!.Frame.Observation);
        }

        match.End();
        Assert.Equal(EndReason.Finished, (await agent.ReceiveAsync())!.MatchEnd.Reason);
        Assert.Null(await agent.ReceiveAsync());
        Assert.Equal(WebSocketCloseStatus.NormalClosure, agent.Socket.CloseStatus);
    }

    [Theory]
    [InlineData(Json)]
    [InlineData(Proto)]
    public async Task Times_of_the_last_step_are_taken_behind_the_matchs_end(string subProtocol)
    {
        await using var match = await WebSocketMatch.StartAsync();
        var reported = new List<ulong>();
        match.Hub.Events.TimesReported += report => reported.Add(report.Times.Step);
        using var agent = await match.ConnectAsync(subProtocol);
        await agent.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest { ReportsTimes = true } });
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        await match.PublishAsync(WebSocketMatch.Observation(0, 100).ToByteArray());
        match.End();
        Assert.NotNull((await agent.ReceiveAsync())!.Frame);
        Assert.NotNull((await agent.ReceiveAsync())!.MatchEnd);
        await agent.SendAsync(
            new PlayRequest { Acknowledge = new Acknowledgement { Times = { new StepTimes { Step = 0 } } } });
        Assert.Null(await agent.ReceiveAsync());
        Assert.Equal([0ul], reported.Of(match.Hub));
    }

    [Fact]
    public async Task The_game_waits_for_a_lockstep_agent()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var agent = await match.ConnectAsync(Proto);
        await agent.SubscribeAsync(policy: Policy.Lockstep);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        for (var step = 0ul; step < 20; step++)
        {
            var published = match.PublishAsync(WebSocketMatch.Observation((uint)step).ToByteArray());
            Assert.Equal(step, (await agent.ReceiveAsync())!.Frame.Step);
            Assert.False(published.IsCompleted);
            await agent.SendAsync(new PlayRequest { Acknowledge = new Acknowledgement { Step = step } });
            await published;
        }
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task Sixty_four_receive_every_frame_and_a_stopped_one_delays_no_other()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var stopped = await match.ConnectAsync(Proto);
        await stopped.SendAsync(
            new PlayRequest { Subscribe = new SubscribeRequest { Overflow = Overflow.End, QueueBytes = 1 << 20 } });
        var agents = new List<AgentSocket>();
        for (var i = 0; i < 64; i++)
        {
            agents.Add(await match.ConnectAsync(i % 8 == 0 ? Json : Proto));
            await agents[^1].SubscribeAsync();
        }

        await match.Hub.WaitForSubscribersAsync(65, Ct);
        const int Frames = 100;
        var heard = agents.Select(async agent =>
        {
            for (var step = 0ul; step < Frames; step++)
            {
                Assert.Equal(step, (await agent.ReceiveAsync())!.Frame.Step);
            }
        }).ToList();
        var observation = WebSocketMatch.Observation(1, 100_000).ToByteArray();
        for (var step = 0; step < Frames; step++)
        {
            await match.PublishAsync(observation);
        }

        await Task.WhenAll(heard);
        agents.ForEach(agent => agent.Dispose());
    }

    [Theory]
    [InlineData(Json)]
    [InlineData(Proto)]
    public async Task A_forbidden_message_ends_the_connection_with_the_reason(string subProtocol)
    {
        await using var match = await WebSocketMatch.StartAsync();

        async Task<string> SayAsync(uint code, params PlayRequest[] messages)
        {
            using var agent = await match.ConnectAsync(subProtocol);
            foreach (var message in messages)
            {
                await agent.SendAsync(message);
            }

            return await agent.FailsAsync(code);
        }

        var subscribe = new PlayRequest { Subscribe = new SubscribeRequest { Agent = "twice" } };
        Assert.Contains("already has a subscription", await SayAsync(9, subscribe, subscribe), StringComparison.Ordinal);
        Assert.Contains(
            "acknowledge a step before you have subscribed", await SayAsync(9, new PlayRequest { Acknowledge = new() }), StringComparison.Ordinal);
        Assert.Contains(
            "send actions before you have subscribed", await SayAsync(9, new PlayRequest { Actions = new() }),
            StringComparison.Ordinal);
        Assert.Contains("is empty", await SayAsync(3, new PlayRequest()), StringComparison.Ordinal);
        await SayAsync(5, new PlayRequest { Subscribe = new SubscribeRequest { MatchId = "another" } });
    }

    [Theory]
    [InlineData(Json, "{", false)]
    [InlineData(Json, "{\"subscribe\": {\"polizei\": 1}}", false)]
    [InlineData(Json, "{\"subscribe\": {}}", true)]
    [InlineData(Proto, "garbage", false)]
    [InlineData(Proto, "text", true)]
    public async Task Garbage_and_the_wrong_kind_of_message_are_refused(string subProtocol, string text, bool wrongKind)
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var agent = await match.ConnectAsync(subProtocol);
        var isText = (subProtocol == Json) != wrongKind;
        await agent.SendAsync(
            System.Text.Encoding.UTF8.GetBytes(text), isText ? WebSocketMessageType.Text : WebSocketMessageType.Binary);
        var said = await agent.FailsAsync(3);
        Assert.Contains(wrongKind ? subProtocol : text.Contains("polizei") ? "polizei" : "PlayRequest", said, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_message_of_more_than_4_MiB_is_refused()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var agent = await match.ConnectAsync(Proto);
        await agent.SendAsync(new byte[(4 << 20) + 1]);
        Assert.Null(await agent.ReceiveAsync());
        Assert.Equal(WebSocketCloseStatus.MessageTooBig, agent.Socket.CloseStatus);
    }

    [Fact]
    public async Task A_flood_of_a_client_that_has_not_subscribed_is_reported_too()
    {
        await using var match = await WebSocketMatch.StartAsync();
        var notices = new System.Collections.Concurrent.ConcurrentQueue<string>();
        match.Hub.Events.Noticed += notices.Enqueue;
        using var flood = await match.ConnectAsync(Proto);
        var message = new PlayRequest { Clock = new Clock { AgentNs = 1 } };
        var answers = 0;
        var sending = Task.Run(async () =>
        {
            for (var count = 0; count < 5 * MessageRateLimiter.Burst && flood.Socket.State == WebSocketState.Open; count++)
            {
                await flood.SendAsync(message);
            }
        }, Ct);
        V1.PlayResponse? last = null;
        while (await flood.ReceiveAsync() is { } answer)
        {
            (last, answers) = (answer, answers + 1);
        }

        // It may continue for a while, until it notices that the connection is closed.
        await Task.WhenAny(sending);
        Assert.InRange(answers, MessageRateLimiter.Burst, 4 * MessageRateLimiter.Burst);
        Assert.Equal(8u, last?.Error.Code);
        Assert.Contains("before you subscribed", last?.Error.Message, StringComparison.Ordinal);
        Assert.Matches(@"^the client at 127\.0\.0\.1:\d+ exceeded the limit of ", Assert.Single(notices.Of(match.Hub)));
    }

    [Fact]
    public async Task A_flood_and_garbage_are_reported_to_the_subscriber_and_to_the_person_who_runs_the_match()
    {
        await using var match = await WebSocketMatch.StartAsync();
        var notices = new List<string>();
        match.Hub.Events.Noticed += notices.Add;
        using (var flood = await match.ConnectAsync(Proto))
        {
            await flood.SubscribeAsync("flood");
            for (var count = 0; count < 25_000; count++)
            {
                await flood.SendAsync(new PlayRequest { Acknowledge = new Acknowledgement() });
            }

            Assert.Contains("more than 10000 messages", await flood.FailsAsync(8), StringComparison.Ordinal);
        }

        using var garbage = await match.ConnectAsync(Json);
        await garbage.SubscribeAsync("garbage");
        await garbage.SendAsync("{"u8.ToArray());
        await garbage.FailsAsync(3);
        Assert.Equal(["flood", "garbage"], notices.Of(match.Hub).Select(notice => notice.Split('\'')[1]));
        Assert.All(notices, notice => Assert.Contains("' was dropped at step 0: ", notice, StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_invalid_observation_ends_only_subscribers_of_text()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var text = await match.ConnectAsync(Json);
        using var binary = await match.ConnectAsync(Proto);
        await text.SubscribeAsync();
        await binary.SubscribeAsync();
        await match.Hub.WaitForSubscribersAsync(2, Ct);
        await match.PublishAsync([0xFF, 0xFF, 0xFF]);
        Assert.Contains("step 0", await text.FailsAsync(13), StringComparison.Ordinal);
        await match.PublishAsync(WebSocketMatch.Observation(1).ToByteArray());
        await Assert.ThrowsAsync<InvalidProtocolBufferException>(binary.ReceiveAsync);
        Assert.Equal(1ul, (await binary.ReceiveAsync())!.Frame.Step);
    }

    [Fact]
    public async Task A_client_that_leaves_is_gone_from_the_hub()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var closing = await match.ConnectAsync(Json);
        using var vanishing = await match.ConnectAsync(Proto);
        await closing.SubscribeAsync();
        await vanishing.SubscribeAsync();
        await match.Hub.WaitForSubscribersAsync(2, Ct);
        await closing.Socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", Ct);
        vanishing.Socket.Abort();
        await HoldsAsync(() => match.Hub.Subscribers.Count == 0);
    }
}
