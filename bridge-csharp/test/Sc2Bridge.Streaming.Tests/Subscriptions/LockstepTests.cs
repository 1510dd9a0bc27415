using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

public sealed class LockstepTests
{
    private readonly ManualTime _time = new();
    private readonly TimeSpan _deadline = TimeSpan.FromSeconds(5);

    [Fact]
    public void All_agents_are_released_together_and_waited_for_together()
    {
        using var match = Match();
        using var first = match.Subscribe(Policy.Lockstep);
        using var second = match.Subscribe(Policy.Lockstep);
        var published = match.PublishAsync(0);
        Assert.Equal(0u, first.ReadFrame().Step);
        Assert.Equal(0u, second.ReadFrame().Step);
        first.Acknowledge(0);
        Assert.False(published.IsCompleted);
        second.Acknowledge(0);
        Assert.True(published.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_late_answer_is_refused_and_reported_and_the_match_goes_on()
    {
        using var match = Match();
        var notices = new List<string>();
        match.Hub.Events.Noticed += notices.Add;
        using var agent = match.Subscribe(Policy.Lockstep);
        var published = match.PublishAsync(0);
        _time.Advance(_deadline / 2);
        Assert.False(published.IsCompleted);
        _time.Advance(_deadline / 2);
        await published;
        Assert.Contains("did not answer step 0", Assert.Single(notices.Of(match.Hub)), StringComparison.Ordinal);

        agent.ReadFrame();
        agent.Acknowledge(0);
        var error = agent.ReadEvent(isLast: false).Error;
        Assert.Equal((4u, 0ul, false), (error.Code, error.Step, error.Fatal));

        // It answered, so the match waits for it again.
        published = match.PublishAsync(1);
        Assert.False(published.IsCompleted);
        Assert.Equal(1u, agent.ReadFrame().Step);
        agent.Acknowledge(1);
        Assert.True(published.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Without_a_deadline_the_match_waits_however_long_others_may_pause_it()
    {
        using var match = new TestMatch(options: new HubOptions
        {
            LockstepDeadline = Timeout.InfiniteTimeSpan,
            PauseDeadline = _deadline,
            TimeProvider = _time,
        });
        using var agent = match.Subscribe(Policy.Lockstep);
        for (var step = 0ul; step < 4; step++)
        {
            var published = match.PublishAsync(step);
            _time.Advance(10 * _deadline);
            Assert.False(published.IsCompleted);
            agent.ReadFrame();
            agent.Acknowledge(step);
            await published;
        }
    }

    [Fact]
    public async Task An_agent_that_never_answers_costs_one_deadline_and_one_frame_of_memory()
    {
        using var match = Match();
        using var agent = match.Subscribe(Policy.Lockstep);
        var published = match.PublishAsync(0);
        _time.Advance(_deadline);
        await published;
        for (var step = 1ul; step < 100; step++)
        {
            Assert.True(match.PublishAsync(step).IsCompletedSuccessfully);
        }

        Assert.Equal(1, match.Hub.Subscribers.Single().Queued);
        Assert.All(match.Frames.SkipLast(1), TestMatch.AssertReleased);
        var frame = agent.ReadFrame();
        Assert.Equal((99ul, 99ul), (frame.Step, frame.Skipped.Frames));
    }

    [Fact]
    public async Task An_agent_that_misses_a_third_deadline_is_dropped_with_the_reason_and_the_match_goes_on()
    {
        using var match = Match();
        var notices = new List<string>();
        match.Hub.Events.Noticed += notices.Add;
        using var agent = match.Subscribe(Policy.Lockstep);
        using var other = match.Subscribe(Policy.Latest);
        for (var step = 0ul; step < 3; step++)
        {
            var published = match.PublishAsync(step);
            agent.ReadFrame();
            Assert.False(published.IsCompleted);
            _time.Advance(_deadline);
            await published;
            if (step < 2)
            {
                agent.Acknowledge(step);
                Assert.False(agent.ReadEvent(isLast: false).Error.Fatal);
            }
        }

        var error = agent.ReadEvent(isLast: true).Error;
        Assert.Equal((StatusCode.DeadlineExceeded, true, 2ul), (error.Code, error.Fatal, error.Step));
        Assert.Contains("3 deadlines of 5 s have passed without an answer", error.Message, StringComparison.Ordinal);
        Assert.Equal(3, notices.Of(match.Hub).Count);
        Assert.Contains("did not answer step 1", notices.Of(match.Hub)[1], StringComparison.Ordinal);
        Assert.StartsWith("agent 'agent' was dropped at step 2: 3 deadlines", notices.Of(match.Hub)[2], StringComparison.Ordinal);
        Assert.True(match.PublishAsync(3).IsCompletedSuccessfully);
        Assert.Equal(3u, other.ReadFrame().Step);
    }

    [Fact]
    public async Task An_agent_that_hangs_is_dropped_after_three_deadlines_and_one_that_ended_its_answers_is_not()
    {
        using var match = Match();
        using var agent = match.Subscribe(Policy.Lockstep);
        using var listener = match.Subscribe(Policy.Lockstep);
        listener.OnStreamEnded();
        var published = match.PublishAsync(0);
        _time.Advance(_deadline);
        await published;
        for (var step = 1ul; step <= 20; step++)
        {
            _time.Advance(_deadline / 10);
            Assert.True(match.PublishAsync(step).IsCompletedSuccessfully);
        }

        Assert.Equal(StatusCode.DeadlineExceeded, (await LastAsync(agent)).Error.Code);
        Assert.Equal(20ul, listener.ReadFrame().Step);
        match.Hub.End(new MatchEnd());
        Assert.NotNull(listener.ReadEvent(isLast: true).MatchEnd);
    }

    [Fact]
    public async Task An_answer_ahead_of_the_frames_is_refused_and_one_repeated_ignored()
    {
        using var match = Match();
        using var agent = match.Subscribe(Policy.Lockstep);
        agent.Acknowledge(0);
        Assert.Equal(3u, agent.ReadEvent(isLast: false).Error.Code);
        var published = match.PublishAsync(0);
        agent.ReadFrame();
        agent.Acknowledge(7);
        Assert.Equal(3u, agent.ReadEvent(isLast: false).Error.Code);
        agent.Acknowledge(0);
        agent.Acknowledge(0);
        Assert.True(published.IsCompletedSuccessfully);
        published = match.PublishAsync(1);
        agent.Acknowledge(0);
        Assert.False(published.IsCompleted);
        agent.Dispose();
        await published;
        match.AssertAllReleased();
    }

    [Fact]
    public async Task A_match_does_not_wait_for_an_agent_that_ended_its_answers()
    {
        using var match = Match();
        using var agent = match.Subscribe(Policy.Lockstep);
        var published = match.PublishAsync(0);
        agent.OnStreamEnded();
        await published;
        Assert.True(match.PublishAsync(1).IsCompletedSuccessfully);
        Assert.Equal(1u, agent.ReadFrame().Skipped.Frames);

        // OnStreamEnded ends only the client's answers. A full queue with the overflow `pause` still pauses the match.
        using var reader = match.Subscribe(Policy.Every, Overflow.Pause, queueBytes: 1);
        reader.OnStreamEnded();
        _ = match.PublishAsync(2);
        published = match.PublishAsync(3);
        reader.OnStreamEnded();
        Assert.False(published.IsCompleted);
        reader.ReadFrame();
        await published;
    }

    [Fact]
    public async Task A_game_request_is_answered_while_the_hub_waits()
    {
        using var match = Match();
        using var agent = match.Subscribe(Policy.Lockstep);
        var published = match.PublishAsync(0);
        var answer = match.Hub.CurrentMatch.RequestAsync(
            new CallGameRequest { Request = new() { Query = new() } }, agent: "", Identity.Anonymous,
            Ct);
        Assert.True(answer.IsCompletedSuccessfully);
        Assert.False(published.IsCompleted);
        match.Hub.End(new MatchEnd());
        await published;
    }

    [Fact]
    public async Task A_cancelled_publication_leaves_the_hub_ready_for_the_next()
    {
        using var match = Match();
        using var agent = match.Subscribe(Policy.Lockstep);
        using var stop = new CancellationTokenSource();
        var published = match.Hub.Publisher.PublishAsync(match.MakeFrame(0), stop.Token).AsTask();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => published);
        var next = match.PublishAsync(1);
        agent.Acknowledge(0);
        Assert.False(next.IsCompleted);
        agent.Acknowledge(1);
        await next;
    }

    private static async Task<V1.PlayResponse> LastAsync(Subscription agent)
    {
        Delivery delivery;
        while (!(delivery = await agent.Read()).IsLast)
        {
            delivery.Release();
        }

        return delivery.Event!;
    }

    private TestMatch Match() => new(options: new HubOptions { LockstepDeadline = _deadline, TimeProvider = _time });
}
