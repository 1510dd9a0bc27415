namespace Sc2Bridge.Streaming.Tests;

/// <summary>Listeners to the hub's events cannot stop the match or other listeners.</summary>
public sealed class HubEventsTests
{
    private static readonly TimeSpan _deadline = TimeSpan.FromSeconds(5);

    [Fact]
    public async Task A_console_that_somebody_holds_does_not_hold_the_match()
    {
        var time = new ManualTime();
        using var match = new TestMatch(options: new HubOptions { LockstepDeadline = _deadline, TimeProvider = time });
        using var held = new ManualResetEventSlim();
        var seen = new List<string>();
        match.Hub.Events.Noticed += _ => held.Wait(Ct);
        match.Hub.Events.Noticed += seen.Add;
        using var first = match.Subscribe(V1.Policy.Lockstep);
        using var second = match.Subscribe(V1.Policy.Lockstep);
        for (var step = 0ul; step < 2; step++)
        {
            var published = match.PublishAsync(step);
            Assert.False(published.IsCompleted);

            // On another thread, so that the test fails if the call waits for the console.
            await Task.Run(() => time.Advance(_deadline), Ct).WaitAsync(TimeSpan.FromMinutes(1), Ct);
            await published.WaitAsync(TimeSpan.FromMinutes(1), Ct);
            first.Acknowledge(step);
            second.Acknowledge(step);
        }

        Assert.Empty(seen);
        held.Set();
        Assert.True(await match.Hub.Events.FlushAsync());
        Assert.Equal((4, 0L), (seen.Count, match.Hub.Events.SidePath.Lost));
    }

    [Fact]
    public async Task Events_that_a_listener_is_too_slow_for_are_limited_and_counted()
    {
        using var match = new TestMatch();
        using var held = new ManualResetEventSlim();
        using var reached = new ManualResetEventSlim();
        var lines = 0;
        match.Hub.Events.Noticed += _ =>
        {
            reached.Set();
            held.Wait(Ct);
            lines++;
        };
        match.Hub.Events.Notice("first");
        reached.Wait(Ct);
        for (var line = 0; line < EventQueue.MostEvents + 100; line++)
        {
            match.Hub.Events.Notice("next");
        }

        // Each line is two events, because the log also listens.
        var lost = EventQueue.MostEvents + 200;
        Assert.Equal(lost, match.Hub.Events.SidePath.Lost);
        held.Set();
        Assert.True(await match.Hub.Events.FlushAsync());
        Assert.Equal(1 + (EventQueue.MostEvents / 2), lines);

        // The limit in bytes: fewer lines of a megabyte can wait.
        held.Reset();
        reached.Reset();
        match.Hub.Events.Notice("first");
        reached.Wait(Ct);
        var megabyte = new string('x', 1 << 19);
        for (var line = 0; line < 40; line++)
        {
            match.Hub.Events.Notice(megabyte);
        }

        Assert.Equal(lost + 80 - 31, match.Hub.Events.SidePath.Lost);
        held.Set();
    }

    [Fact]
    public async Task That_an_agent_has_left_is_heard_though_events_were_lost()
    {
        using var match = new TestMatch();
        using var held = new ManualResetEventSlim();
        using var reached = new ManualResetEventSlim();
        var left = new List<string>();
        match.Hub.Events.SubscriberLeft += gone => left.Add(gone.Agent);
        match.Hub.Events.Noticed += _ =>
        {
            reached.Set();
            held.Wait(Ct);
        };
        match.Hub.Events.Notice("first");
        reached.Wait(Ct);
        for (var line = 0; line < EventQueue.MostEvents; line++)
        {
            match.Hub.Events.Notice("next");
        }

        var megabyte = new string('x', 1 << 19);
        for (var line = 0; line < 40; line++)
        {
            match.Hub.Events.Notice(megabyte);
        }

        match.Subscribe(V1.Policy.Every).Dispose();
        held.Set();
        Assert.True(await match.Hub.Events.FlushAsync());
        Assert.Equal(["agent"], left);
    }

    [Fact]
    public void Agents_that_are_dropped_by_thousands_have_some_lines_and_a_count_and_those_that_play_have_theirs()
    {
        var time = new ManualTime();
        using var match = new PlayedMatch(options: new HubOptions { TimeProvider = time });
        var notices = new List<string>();
        match.Hub.Events.Noticed += notices.Add;
        Drop(1000);
        using var player = match.Join(agent: "player");
        player.Drop(StatusCode.InvalidArgument, "garbage");
        Assert.Equal(LimitedNotices.MostInMinute + 1, notices.Of(match.Hub).Count);
        Assert.StartsWith("agent 'player' was dropped", notices[^1], StringComparison.Ordinal);
        time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal("… and 940 more agents were dropped or left", notices.Of(match.Hub)[^1]);
        Drop(70);
        match.Hub.End(new MatchEnd());
        Assert.Equal("… and 10 more agents were dropped or left", notices.Of(match.Hub)[^1]);
        Assert.Equal((2 * LimitedNotices.MostInMinute) + 3, notices.Count);

        void Drop(int count)
        {
            for (; count > 0; count--)
            {
                using var watcher = match.Subscribe(V1.Policy.Every);
                watcher.Drop(StatusCode.InvalidArgument, "garbage");
            }
        }
    }

    [Fact]
    public async Task A_listener_that_throws_gets_the_next_event_and_so_do_the_others()
    {
        using var match = new TestMatch();
        var (heard, others) = (0, 0);
        match.Hub.Events.Acted += _ =>
        {
            heard++;
            throw new InvalidOperationException("no disk");
        };
        match.Hub.Events.Acted += _ => others++;
        for (var report = 0; report < 3; report++)
        {
            match.Hub.Events.RaiseActed(match.Hub.CurrentMatch.RecordingBudget, new ActionReport(0, new V1.ActionRecord()));
        }

        Assert.True(await match.Hub.Events.FlushAsync());
        Assert.Equal((3, 3, 3L), (heard, others, match.Hub.Events.SidePath.Lost));
    }
}
