using Sc2Bridge.Protocol;

using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Streaming.Tests;

public sealed class SubscribingTests
{
    [Fact]
    public void A_wrong_choice_is_refused_with_the_possible_ones()
    {
        using var match = new TestMatch(realtime: true);
        Refused(match, new() { MatchId = "other" }, 5, "'test'");
        Refused(match, new() { Perspective = 1 }, 3, "0, 2");
        Refused(match, new() { Overflow = Overflow.Pause }, 9, "OVERFLOW_END");
        Refused(match, new() { Policy = (Policy)9 }, 3, "policy 9");
        Refused(match, new() { Overflow = (Overflow)9 }, 3, "overflow 9");
        Refused(match, new() { Exclude = { Part.Unspecified } }, 3, "exclude");
        Refused(match, new() { QueueBytes = ulong.MaxValue }, 3, "queue_bytes");
        Refused(match, new() { Agent = "a\nb" }, 3, "control character");
        Refused(match, new() { Agent = "a\u202eb" }, 3, "control character");
        Refused(match, new() { Agent = new string('a', 65) }, 3, "at most 64");
        Assert.Empty(match.Hub.Subscribers);
    }

    [Fact]
    public void What_does_not_fit_is_refused_when_the_match_is_announced()
    {
        using var match = new TestMatch(announce: false);
        var info = new SubscriberInfo("test", false);
        using var other = match.Hub.Subscribe(new() { MatchId = "other" }, info);
        using var blind = match.Hub.Subscribe(new() { Perspective = 7 }, info);
        using var fits = match.Hub.Subscribe(new(), info);
        match.Hub.Announce(match.Description, match);
        Assert.Equal((5u, true), (other.ReadEvent(isLast: true).Error.Code, true));
        Assert.Equal(3u, blind.ReadEvent(isLast: true).Error.Code);
        _ = match.PublishAsync(0);
        Assert.Equal(0u, fits.ReadFrame().Step);
    }

    [Fact]
    public void Names_are_unique_and_states_tell_how_each_does()
    {
        using var match = new TestMatch();
        var info = new SubscriberInfo("grpc", true);
        using var first = match.Hub.Subscribe(new() { Agent = "bot" }, info);
        using var second = match.Hub.Subscribe(new() { Agent = "bot", Policy = Policy.Latest }, info);
        using var third = match.Hub.Subscribe(new(), info);
        Assert.Equal(["bot", "bot-2", "agent"], new[] { first.Name, second.Name, third.Name });
        _ = match.PublishAsync(0);
        _ = match.PublishAsync(1);
        second.ReadFrame();
        var states = match.Hub.Subscribers.ToDictionary(state => state.Name);
        Assert.Equal((2, 0L, null), (states["bot"].Queued, states["bot"].Dropped, states["bot"].LastStep));
        Assert.Equal((0, 1L, 1ul), (states["bot-2"].Queued, states["bot-2"].Dropped, states["bot-2"].LastStep));
        Assert.Equal(match.Frames.Sum(DeliveryQueue.BytesOf), states["bot"].QueuedBytes);
    }

    [Fact]
    public async Task Each_perspective_goes_to_its_own_subscribers()
    {
        using var match = new TestMatch();
        using var observer = match.Subscribe(Policy.Every);
        using var player = match.Hub.Subscribe(new() { Perspective = 2 }, new SubscriberInfo("test", false));
        await match.Hub.Publisher.PublishAsync(match.MakeFrame(0, perspective: 2), Ct);
        Assert.Equal(2u, player.ReadFrame().Perspective);
        Assert.Equal(0, match.Hub.Subscribers.Sum(state => state.Queued));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await match.Hub.Publisher.PublishAsync(
            ObservationFrame.Copy([], new FrameHeader("other", 0, 0, 0, 0, 0)), Ct));
    }

    [Fact]
    public async Task A_token_that_expires_while_its_client_waits_for_a_match_is_not_told_of_it()
    {
        var time = new ManualTime();
        using var match = new TestMatch(announce: false, options: new HubOptions { TimeProvider = time });
        var identity = new Identity("guest", Roles.Watch, Expires: time.Wall.AddHours(1));
        var described = match.Hub.CurrentMatch.DescribeAsync(new DescribeRequest(), identity, Ct);
        time.Wall = time.Wall.AddHours(1);
        match.Hub.Announce(match.Description, match);
        var refused = await Assert.ThrowsAsync<RequestRefusedException>(() => described);
        Assert.Equal(StatusCode.Unauthenticated, refused.Code);
    }

    [Fact]
    public async Task Describing_waits_for_the_match_and_names_it()
    {
        using var match = new TestMatch(announce: false);
        var described = DescribeAsync(match, "");
        var other = DescribeAsync(match, "other");
        Assert.False(described.IsCompleted);
        match.Hub.Announce(match.Description, match);
        Assert.Same(match.Description, await described);
        Assert.Equal(5u, (await Assert.ThrowsAsync<RequestRefusedException>(() => other)).Code);
        match.Hub.End(new MatchEnd());

        // A client may read its last frames late, and then ask for their match's description.
        Assert.Same(match.Description, await DescribeAsync(match, TestMatch.Name));
        var next = DescribeAsync(match, "");
        Assert.False(next.IsCompleted);
        match.Hub.Dispose();
        Assert.Equal(14u, (await Assert.ThrowsAsync<RequestRefusedException>(() => next)).Code);
    }

    [Fact]
    public async Task Requests_that_would_change_the_match_are_refused()
    {
        using var match = new TestMatch();
        Request[] refused =
        [
            new(), new() { CreateGame = new() }, new() { JoinGame = new() }, new() { RestartGame = new() },
            new() { LeaveGame = new() }, new() { Step = new() }, new() { Quit = new() }, new() { StartReplay = new() },
            new() { Observation = new() }, new() { Action = new() }, new() { QuickLoad = new() },
            new() { MapCommand = new() },
            new() { Debug = new() { Debug = { new DebugCommand { Draw = new() }, new DebugCommand { EndGame = new() } } } },
        ];
        foreach (var request in refused)
        {
            var refusal = await Assert.ThrowsAsync<RequestRefusedException>(() => Ask(match, request));
            Assert.Contains(refusal.Code, new uint[] { 3, 7, 12 });
        }

        Assert.Empty(match.Asked);
        await Ask(match, new() { Query = new() });
        await Ask(match, new() { GameInfo = new() }, 2);
        await Ask(match, new() { Debug = new() { Debug = { new DebugCommand { Draw = new() } } } });
        Assert.Equal(
            [(0u, Kind.Query), (2u, Kind.GameInfo), (0u, Kind.Debug)],
            match.Asked.Select(a => (a.Perspective, a.Request.RequestCase)));
        var unknown = await Assert.ThrowsAsync<RequestRefusedException>(() => Ask(match, new() { Query = new() }, 5));
        Assert.Equal(3u, unknown.Code);
    }

    [Fact]
    public async Task A_request_to_act_is_refused_with_the_fields_to_set()
    {
        using var match = new TestMatch();
        var refusal = await Assert.ThrowsAsync<RequestRefusedException>(() => Ask(match, new() { Action = new() }));
        Assert.Equal(StatusCode.PermissionDenied, refusal.Code);
        Assert.Contains("subscribe with can_act, and send them as PlayRequest.actions", refusal.Message, StringComparison.Ordinal);
        Assert.NotNull(SubscribeRequest.Descriptor.FindFieldByName("can_act"));
        Assert.NotNull(PlayRequest.Descriptor.FindFieldByName("actions"));
    }

    [Fact]
    public async Task Listeners_get_answers_and_refusals()
    {
        using var match = new TestMatch();
        var heard = new List<AgentRequest>();
        match.Hub.Events.RequestAnswered += heard.Add;
        await match.PublishAsync(7);
        await match.Hub.Publisher.PublishAsync(match.MakeFrame(7, perspective: 2), Ct);
        var before = MonotonicClock.NowNs;
        await Ask(match, new() { Query = new() }, 2);
        var refusal = await Assert.ThrowsAsync<RequestRefusedException>(() => Ask(match, new() { Step = new() }));
        Assert.All(heard.Of(match.Hub), request => Assert.InRange(request.RequestedNs, before, MonotonicClock.NowNs));
        Assert.Equal(
            [
                new RequestRecord
                {
                    Step = 7,
                    Agent = "asker",
                    Perspective = 2,
                    Request = new() { Query = new() },
                    Response = new() { Query = new() },
                },
                new RequestRecord
                    { Step = 7, Agent = "asker", Kind = "step", Bytes = 2, Refusal = refusal.Message },
            ],
            heard.Select(request => request.Record));
    }

    [Fact]
    public async Task One_subscription_can_have_the_frames_of_every_perspective()
    {
        using var match = new TestMatch();
        using var all = match.Hub.Subscribe(new(), new SubscriberInfo("log", false, EveryPerspective: true));
        Assert.Same(match.Description, all.Match);
        foreach (var perspective in new uint[] { 0, 2 })
        {
            await match.Hub.Publisher.PublishAsync(match.MakeFrame(3, perspective: perspective), Ct);
        }

        Assert.Equal([0u, 2u], [all.ReadFrame().Perspective, all.ReadFrame().Perspective]);
    }

    [Fact]
    public void A_match_that_has_ended_is_not_subscribed_to()
    {
        using var match = new TestMatch();
        match.Hub.End(new MatchEnd());
        Refused(match, new() { MatchId = TestMatch.Name }, 5, "match 'test' has ended");
        using var next = match.Subscribe(Policy.Every);
        Assert.Null(next.Match);
    }

    [Fact]
    public async Task Waiting_for_subscribers_leaves_the_bridges_own_out()
    {
        using var match = new TestMatch();
        var waiting = match.Hub.WaitForSubscribersAsync(1, Ct);
        using var log = match.Hub.Subscribe(new(), new SubscriberInfo("log", false, Internal: true));
        Assert.False(waiting.IsCompleted);
        using var agent = match.Subscribe(Policy.Every);
        await waiting;
    }

    [Fact]
    public async Task A_wait_for_names_does_not_count_others_in_their_place()
    {
        using var match = new TestMatch();
        using var viewer = Named("viewer");
        using var earlier = Named("bot");
        earlier.Drop(StatusCode.InvalidArgument, "garbage");
        var (bot, botAndOthers) = (match.Hub.WaitForAgentsAsync(["bot"], 0, Ct), match.Hub.WaitForAgentsAsync(["bot"], 2, Ct));
        using var second = Named("viewer");
        Assert.False(bot.IsCompleted);
        using var joined = Named("bot");
        using var again = Named("bot");
        await bot.WaitAsync(TimeSpan.FromMinutes(1), Ct);
        await botAndOthers.WaitAsync(TimeSpan.FromMinutes(1), Ct);

        // The other subscription with this name stays, because its agent has reconnected.
        joined.Dispose();
        Assert.Equal("bot-2", again.Name);
        Assert.True(match.Hub.WaitForAgentsAsync(["bot"], 2, Ct).IsCompleted);

        Subscription Named(string name) =>
            match.Hub.Subscribe(new V1.SubscribeRequest { Agent = name }, new SubscriberInfo("test", false));
    }

    [Fact]
    public void A_subscription_that_is_refused_for_a_part_keeps_no_name()
    {
        using var match = new TestMatch();
        Refused(match, new() { Agent = "bot", Exclude = { (Part)99 } }, 3, "part 99 in exclude is unknown");
        using var next = match.Hub.Subscribe(new V1.SubscribeRequest { Agent = "bot" }, new SubscriberInfo("test", false));
        Assert.Equal("bot", next.Name);
    }

    [Fact]
    public async Task A_wait_for_subscribers_that_is_given_up_does_not_disturb_others()
    {
        using var match = new TestMatch();
        using var over = new CancellationTokenSource();
        var (given, waiting) = (match.Hub.WaitForSubscribersAsync(1, over.Token), match.Hub.WaitForSubscribersAsync(2, Ct));
        await over.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => given);
        using var first = match.Subscribe(Policy.Every);
        Assert.False(waiting.IsCompleted);
        using var second = match.Subscribe(Policy.Every);
        await waiting.WaitAsync(TimeSpan.FromMinutes(1), Ct);
    }

    private static Task<MatchDescription> DescribeAsync(TestMatch match, string name) =>
        match.Hub.CurrentMatch.DescribeAsync(new() { MatchId = name }, Identity.Anonymous, Ct);

    private static Task Ask(TestMatch match, Request request, uint perspective = 0) => match.Hub.CurrentMatch.RequestAsync(
        new CallGameRequest { Request = request, Perspective = perspective }, "asker", Identity.Anonymous,
        Ct);

    private static void Refused(TestMatch match, V1.SubscribeRequest request, uint code, string says)
    {
        var refusal = Assert.Throws<RequestRefusedException>(
            () => match.Hub.Subscribe(request, new SubscriberInfo("test", false)));
        Assert.Equal(code, refusal.Code);
        Assert.Contains(says, refusal.Message, StringComparison.Ordinal);
    }
}
