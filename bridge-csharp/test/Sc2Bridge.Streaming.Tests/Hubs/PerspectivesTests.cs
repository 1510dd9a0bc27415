using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>A match of two sides. Each side is published separately.</summary>
public sealed class PerspectivesTests
{
    [Fact]
    public async Task Sides_wait_for_their_own_agents_only()
    {
        using var match = new TwoSides();
        using var one = match.Join(1);
        using var two = match.Join(2);
        var (first, second) = (match.Publish(1, 0), match.Publish(2, 0));
        Assert.False(first.IsCompleted || second.IsCompleted);
        two.Take();
        two.Acknowledge(0);
        await second;
        Assert.False(first.IsCompleted);

        // The side that is ahead continues. The game itself makes it wait.
        second = match.Publish(2, 1);
        Assert.Equal((0ul, 1ul), (match.Hub.Perspectives.NewestStep(1), match.Hub.Perspectives.NewestStep(2)));
        one.Take();
        one.Acknowledge(0);
        await first;
        Assert.False(second.IsCompleted);
        two.Dispose();
        await second;
        var twice = match.Publish(1, 1);
        await Assert.ThrowsAsync<InvalidOperationException>(() => match.Publish(1, 2));
        one.Acknowledge(1);
        await twice;
    }

    [Fact]
    public async Task A_subscriber_of_every_perspective_can_hold_both()
    {
        using var match = new TwoSides();
        using var all = match.Hub.Subscribe(
            new V1.SubscribeRequest { QueueBytes = 1, Overflow = Overflow.Pause },
            new SubscriberInfo("log", DeliverInline: false, Internal: true, EveryPerspective: true));
        await match.Publish(1, 0);
        var (first, second) = (match.Publish(1, 1), match.Publish(2, 0));
        Assert.False(first.IsCompleted || second.IsCompleted);
        Assert.Equal((1u, 0ul), all.Take());
        Assert.False(first.IsCompleted || second.IsCompleted);
        Assert.Equal((1u, 1ul), all.Take());
        await first;
        await second;
        Assert.Equal((2u, 0ul), all.Take());
    }

    [Fact]
    public async Task Each_side_has_its_own_game_info_steps_and_times()
    {
        using var match = new TwoSides();
        Assert.Equal("one", (await DescribeAsync(new())).GameInfo.MapName);
        Assert.Equal("one", (await DescribeAsync(new() { Perspective = 1 })).GameInfo.MapName);
        Assert.Equal("two", (await DescribeAsync(new() { MatchId = TwoSides.Name, Perspective = 2 })).GameInfo.MapName);
        var refused = await Assert.ThrowsAsync<RequestRefusedException>(() => DescribeAsync(new() { Perspective = 3 }));
        Assert.Equal(StatusCode.InvalidArgument, refused.Code);

        // The game info is in memory once, also for clients that leave out other parts.
        Assert.Same((await DescribeAsync(new() { Perspective = 2 })).GameInfo, (await DescribeAsync(new() { Perspective = 2, WithoutData = true })).GameInfo);
        await match.Publish(1, 4);
        await match.Publish(2, 9);
        Assert.Equal((1004L, 2009L), (match.Hub.Perspectives.ObservedNs(1, 4), match.Hub.Perspectives.ObservedNs(2, 9)));
        Assert.Null(match.Hub.Perspectives.ObservedNs(2, 4));
        Assert.Null(match.Hub.Perspectives.ObservedNs(77, 4));
        match.Hub.End(new MatchEnd());
        Assert.Equal("two", (await DescribeAsync(new() { MatchId = TwoSides.Name, Perspective = 2 })).GameInfo.MapName);

        Task<MatchDescription> DescribeAsync(DescribeRequest request) =>
            match.Hub.CurrentMatch.DescribeAsync(request, Protocol.Identity.Anonymous, Ct);
    }

    [Fact]
    public async Task A_player_without_a_choice_gets_the_side_that_agents_play()
    {
        using var match = new TwoSides(firstKind: PlayerKind.Api);
        using var player = match.Hub.Subscribe(new V1.SubscribeRequest { CanAct = true }, new SubscriberInfo("test", false));
        using var watcher = match.Hub.Subscribe(new(), new SubscriberInfo("test", false));
        await match.Publish(1, 0);
        await match.Publish(2, 0);
        Assert.Equal((2u, 0ul), player.Take());
        Assert.Equal((1u, 0ul), watcher.Take());
    }

    [Fact]
    public async Task Actions_go_with_the_steps_of_their_own_side()
    {
        using var match = new TwoSides();
        using var one = match.Join(1);
        using var two = match.Join(2);
        var published = new[] { match.Publish(1, 0), match.Publish(2, 5) };
        one.Take();
        two.Take();
        one.Act(new Actions { Step = 0, Actions_ = { Chat("one") } });
        two.Act(new Actions { Step = 5, Actions_ = { Chat("two") } });
        Assert.Empty(match.Asked);
        await match.Hub.Publisher.SendActionsAsync(2, Ct);
        Assert.Equal((2u, "two"), Assert.Single(match.Asked));
        await match.Hub.Publisher.SendActionsAsync(1, Ct);
        Assert.Equal((1u, "one"), match.Asked[1]);
        one.Acknowledge(0);
        two.Acknowledge(5);
        await Task.WhenAll(published);
    }

    [Fact]
    public async Task The_log_has_a_row_for_each_step_of_each_side()
    {
        using var match = new TwoSides();
        using var steps = new StringWriter();
        var recorded = new List<LoggedStep>();
        using var log = new StepLog(
            match.Hub, steps, new MatchFigures(), CodecLog.Off, [], new SidePath("steps.csv", null, Assert.Fail),
            new SidePath("codec log"), recorded.Add);
        using var watcher = match.Hub.Subscribe(
            new V1.SubscribeRequest { Perspective = 2 }, new SubscriberInfo("test", DeliverInline: false));
        await match.Publish(1, 0);
        await match.Publish(2, 0);
        await match.Publish(2, 1);
        await match.Publish(1, 1);
        match.Hub.End(new MatchEnd());
        await log.Ended;
        var rows = steps.ToString().TrimEnd('\n').Split('\n').Skip(1).Select(row => row.Split(',')).ToList();
        Assert.Equal(["0 1", "0 2", "1 2", "1 1"], rows.Select(row => $"{row[0]} {row[^1]}"));
        Assert.Equal(["0", "1", "1", "0"], rows.Select(row => row[^3]));
        Assert.Equal([1u, 2, 2, 1], recorded.Select(row => row.Record.Perspective));
    }

    [Fact]
    public async Task Subscribers_that_read_the_rest_of_a_match_are_not_waited_for_in_the_next()
    {
        using var match = new TwoSides();
        using var before = match.Hub.Subscribe(new(), new SubscriberInfo("test", false));
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        match.Hub.End(new MatchEnd { NextFollows = true });
        var waiting = match.Hub.WaitForSubscribersAsync(1, Ct);
        Assert.False(waiting.IsCompleted);
        Assert.True(match.Hub.Subscribers.Single().HasEnded);
        using var after = match.Hub.Subscribe(new(), new SubscriberInfo("test", false));
        await waiting;
        match.Announce("next");
        await match.Publish(1, 0, "next");
        Assert.True((await after.Read()).Frame is { Header.MatchId: "next" });
        Assert.True(before.ReadEvent(isLast: true).MatchEnd.NextFollows);
    }

    [Fact]
    public async Task A_perspective_that_is_made_while_a_match_begins_has_the_actions_of_that_match()
    {
        using var begun = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim();
        var next = Acting();
        var perspectives = new PublishedPerspectives(TimeProvider.System, one => one == 0 ? Acting() : ActingSlowly());
        var making = Task.Run(() => perspectives.Of(1), Ct);
        Assert.True(begun.Wait(TimeSpan.FromMinutes(1), Ct));
        var beginning = new Thread(() => perspectives.Begin(new MatchDescription { MatchId = "next" }, keepsNewest: false, _ => next));
        beginning.Start();

        // It waits for the perspective, or (if it does not) it has started the match without it.
        await HoldsAsync(() => !beginning.IsAlive || beginning.ThreadState.HasFlag(ThreadState.WaitSleepJoin));
        mayEnd.Set();
        var made = await making;
        Assert.True(beginning.Join(TimeSpan.FromMinutes(1)));
        Assert.Same(next, made.SideActions);
        perspectives.Dispose();

        SideActions ActingSlowly()
        {
            begun.Set();
            Assert.True(mayEnd.Wait(TimeSpan.FromMinutes(1), Ct));
            return Acting();
        }

        static SideActions Acting() => new(1, game: null, atOnce: false, _ => { });
    }

    private static SC2APIProtocol.Action Chat(string text) => new() { ActionChat = new() { Message = text } };
}
