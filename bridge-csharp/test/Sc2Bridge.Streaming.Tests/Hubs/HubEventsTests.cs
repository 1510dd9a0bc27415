namespace Sc2Bridge.Streaming.Tests;

/// <summary>Whatever listens to the hub's events, the match and the other listeners go on.</summary>
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

            // Elsewhere, so that the test fails where somebody would wait for the console.
            await Task.Run(() => time.Advance(_deadline), Ct).WaitAsync(TimeSpan.FromMinutes(1), Ct);
            await published.WaitAsync(TimeSpan.FromMinutes(1), Ct);
            first.Acknowledge(step);
            second.Acknowledge(step);
        }

        Assert.Empty(seen);
        held.Set();
        Assert.True(await match.Hub.Events.FlushAsync());
        Assert.Equal((4, 0L), (seen.Count, match.Hub.Events.Path.Lost));
    }

    [Fact]
    public async Task What_a_listener_cannot_keep_up_with_is_bounded_and_counted()
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

        // Each line is two events: the log listens too.
        var lost = EventQueue.MostEvents + 200;
        Assert.Equal(lost, match.Hub.Events.Path.Lost);
        held.Set();
        Assert.True(await match.Hub.Events.FlushAsync());
        Assert.Equal(1 + (EventQueue.MostEvents / 2), lines);

        // In bytes too: of lines of a megabyte fewer wait.
        held.Reset();
        reached.Reset();
        match.Hub.Events.Notice("first");
        reached.Wait(Ct);
        var megabyte = new string('x', 1 << 19);
        for (var line = 0; line < 40; line++)
        {
            match.Hub.Events.Notice(megabyte);
        }

        Assert.Equal(lost + 80 - 31, match.Hub.Events.Path.Lost);
        held.Set();
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
            match.Hub.Events.Act(new ActionReport(0, new V1.ActionRecord()));
        }

        Assert.True(await match.Hub.Events.FlushAsync());
        Assert.Equal((3, 3, 3L), (heard, others, match.Hub.Events.Path.Lost));
    }
}
