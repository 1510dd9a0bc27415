using StatusCode = Sc2Bridge.Streaming.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Clients that stay connected and send more after their subscription has ended, over each transport.</summary>
public sealed class EndedSubscriberTests
{
    private const string Shown = "play-token-0123456789";

    // Large frames: the buffers between the bridge and a client hold only a few.
    private const int Large = 1 << 20;

    [Theory]
    [InlineData("grpc")]
    [InlineData("ws")]
    [InlineData("shm")]
    public async Task An_agent_with_an_expired_token_that_reads_nothing_commands_no_units(string transport)
    {
        var time = new AheadOfTime();
        await using var match = await StartAsync(TimeSpan.FromMinutes(5), time);
        using var agent = await AgentClient.ConnectAsync(match, transport, Shown);
        await agent.SubscribeAsync(match);
        await match.StepAsync(0);
        Assert.Equal(0ul, (await agent.ReceiveAsync())?.Frame.Step);
        await agent.SendAsync(Saying("in time"));
        await HoldsAsync(async () =>
        {
            await match.StepAsync(1);
            return match.Acted.Count > 0;
        });

        // The bridge is still writing when the token expires.
        await FillAsync(match);
        time.Ahead = TimeSpan.FromHours(2);
        await HoldsAsync(() => match.Hub.Subscribers.All(one => one.HasEnded));
        for (var count = 0; count < 8; count++)
        {
            await agent.SendAsync(Saying("too late"));
        }

        PlayResponse? last = null;
        while (await agent.ReceiveAsync() is { } next)
        {
            await match.StepAsync(1);
            last = next;
        }

        await match.StepAsync(1);
        Assert.Equal(["in time"], Said(match));
        Assert.Equal(StatusCode.Unauthenticated, last?.Error.Code);
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("ws")]
    [InlineData("shm")]
    public async Task An_agent_left_over_from_the_last_match_acts_and_asks_nothing_in_the_next_one(string transport)
    {
        await using var match = await StartAsync(TimeSpan.FromMinutes(5));
        using var agent = await AgentClient.ConnectAsync(match, transport, Shown);
        await agent.SubscribeAsync(match);
        await match.StepAsync(0);
        Assert.NotNull((await agent.ReceiveAsync())?.Frame);
        match.Follow("next");
        Assert.NotNull((await agent.ReceiveAsync())?.MatchEnd);

        // It owes times of its last step, so it is not closed yet. The answer to the clock comes after what was sent before.
        await agent.SendAsync(Saying("left over"));
        await agent.SendAsync(new PlayRequest
        {
            RequestId = 3,
            CallGame = new CallGameRequest { Perspective = ServedMatch.Side, Request = new() { Query = new() } },
        });
        await agent.SendAsync(new PlayRequest { RequestId = 4, Control = new ControlRequest { Pause = true } });
        var answers = new[] { await agent.ReceiveAsync(), await agent.ReceiveAsync() };
        Assert.Equal([3u, 4u], answers.Select(answer => answer?.RequestId ?? 0).Order());
        Assert.All(answers, answer => Assert.Equal((StatusCode.FailedPrecondition, false), (answer!.Error.Code, answer.Error.Fatal)));
        Assert.All(answers, answer => Assert.Contains("has ended", answer!.Error.Message, StringComparison.Ordinal));

        // It may still request the next match. This bridge refuses, because it was not started with --restarts.
        await agent.SendAsync(new PlayRequest { RequestId = 5, Control = new ControlRequest { Restart = new() } });
        var restart = await agent.ReceiveAsync();
        Assert.Equal(5u, restart?.RequestId);
        Assert.DoesNotContain("has ended", restart?.Error.Message, StringComparison.Ordinal);

        await agent.SendAsync(new PlayRequest { Clock = new Clock { AgentNs = 5 } });
        Assert.Equal(5, (await agent.ReceiveAsync())?.Clock.AgentNs);
        await match.StepAsync(0);
        Assert.Empty(match.Acted);
    }

    [Theory]
    [InlineData("grpc", true, true)]
    [InlineData("grpc", true, false)]
    [InlineData("ws", true, true)]
    [InlineData("ws", true, false)]
    [InlineData("ws", false, true)]
    [InlineData("ws", false, false)]
    [InlineData("shm", true, true)]
    [InlineData("shm", true, false)]
    [InlineData("shm", false, true)]
    [InlineData("shm", false, false)]
    public async Task A_client_that_reads_nothing_after_its_end_is_cut_off(string transport, bool isStuck, bool expires)
    {
        var time = new AheadOfTime();
        await using var match = await StartAsync(TimeSpan.FromMilliseconds(100), time);
        using var agent = await AgentClient.ConnectAsync(match, transport, Shown);
        await agent.SubscribeAsync(match, reportsTimes: false);
        await match.StepAsync(0);
        if (isStuck)
        {
            await FillAsync(match);
        }

        if (expires)
        {
            time.Ahead = TimeSpan.FromHours(2);
        }
        else
        {
            match.End();
        }

        await match.WaitUntilNobodySubscribesAsync().WaitAsync(TimeSpan.FromSeconds(30), Ct);
    }

    private static Task<ServedMatch> StartAsync(TimeSpan unread, TimeProvider? time = null)
    {
        time ??= TimeProvider.System;
        var player = new Identity(
            "player", Roles.Watch | Roles.Hold | Roles.Play | Roles.Control, Expires: time.GetUtcNow().AddHours(1));
        return ServedMatch.StartAsync(
            change: options => options with
            {
                WebAddress = "127.0.0.1:0",
                SharedMemoryName = BridgeServerOptions.NewSharedMemoryName(),
                Tokens = TokenStore.Empty.With(Shown, player),
                UnreadTimeout = unread,
                TimeProvider = time,
            },
            time: time);
    }

    // Publishes until frames wait for a client that does not read.
    private static Task FillAsync(ServedMatch match) => HoldsAsync(async () =>
    {
        await match.StepAsync(1, Large);
        return match.Hub.Subscribers.Single().Queued >= 8;
    });

    private static PlayRequest Saying(string what) => new()
    {
        Actions = new Actions { Actions_ = { new SC2APIProtocol.Action { ActionChat = new() { Message = what } } } },
    };

    private static IEnumerable<string> Said(ServedMatch match) =>
        match.Acted.SelectMany(acted => acted.Actions).Select(action => action.ActionChat.Message);

    /// <summary>The system's clock plus some time.</summary>
    private sealed class AheadOfTime : TimeProvider
    {
        public TimeSpan Ahead { get; set; }

        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + Ahead;
    }
}
