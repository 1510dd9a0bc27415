namespace Sc2Bridge.Streaming.Tests;

public sealed class EveryTests
{
    [Fact]
    public async Task A_full_queue_pauses_the_game_until_it_is_read()
    {
        using var match = new TestMatch();
        using var reader = match.Subscribe(Policy.Every, Overflow.Pause, queueBytes: 1);

        // Larger than the whole queue. It is accepted because the queue is empty.
        Assert.True(match.PublishAsync(0).IsCompletedSuccessfully);
        var second = match.PublishAsync(1);
        Assert.False(second.IsCompleted);
        Assert.Equal(0u, reader.ReadFrame().Step);
        await second;
        Assert.Equal(1u, reader.ReadFrame().Step);
        match.AssertAllReleased();
    }

    [Fact]
    public async Task Many_short_frames_fill_a_queue_as_few_long_ones_do()
    {
        const int Most = 8192;
        using var match = new TestMatch();
        using var larger = match.Subscribe(Policy.Every, Overflow.Pause, queueBytes: 1 << 30);
        using var reader = match.Subscribe(Policy.Every, Overflow.Pause);
        var step = 0ul;
        Task published;
        do
        {
            published = match.PublishAsync(step++);
        }
        while (published.IsCompleted && step <= Most + 1);
        Assert.Equal(Most + 1ul, step);
        Assert.False(published.IsCompleted);
        Assert.Equal(0u, reader.ReadFrame().Step);
        await published.WaitAsync(TimeSpan.FromMinutes(1), Ct);
    }

    [Fact]
    public async Task A_subscriber_that_pauses_the_game_and_takes_nothing_is_dropped_but_the_bridges_own_are_not()
    {
        var time = new ManualTime();
        var options = new HubOptions { TimeProvider = time, LockstepDeadline = TimeSpan.FromSeconds(3) };
        using var match = new TestMatch(options: options with { PauseDeadline = TimeSpan.FromSeconds(20) });
        var notices = new List<string>();
        match.Hub.Events.Noticed += notices.Add;
        using var reader = match.Subscribe(Policy.Every, Overflow.Pause, queueBytes: 1);
        using var agent = match.Subscribe(Policy.Lockstep);
        using var log = match.Hub.Subscribe(
            new V1.SubscribeRequest { Overflow = Overflow.Pause, QueueBytes = 1 },
            new SubscriberInfo("log", false, Internal: true));
        var published = match.PublishAsync(0);
        agent.Acknowledge(0);
        await published;
        published = match.PublishAsync(1);
        time.Advance(TimeSpan.FromSeconds(3));
        Assert.Contains("did not answer step 1", Assert.Single(notices.Of(match.Hub)), StringComparison.Ordinal);
        time.Advance(TimeSpan.FromSeconds(16));
        Assert.Single(notices.Of(match.Hub));
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Contains("no frame was taken within 20 s", notices.Of(match.Hub)[1], StringComparison.Ordinal);
        Assert.False(published.IsCompleted);
        Assert.Equal(0ul, log.ReadFrame().Step);
        await published;
        var error = reader.ReadEvent(isLast: true).Error;
        Assert.Equal((StatusCode.DeadlineExceeded, true), (error.Code, error.Fatal));
        Assert.Equal(1ul, log.ReadFrame().Step);
        agent.Dispose();
        match.AssertAllReleased();
    }

    [Fact]
    public async Task Leaving_during_a_pause_releases_the_publisher_and_the_frames()
    {
        using var match = new TestMatch();
        var reader = match.Subscribe(Policy.Every, Overflow.Pause, queueBytes: 1);
        _ = match.PublishAsync(0);
        var second = match.PublishAsync(1);
        reader.Dispose();
        await second;
        match.AssertAllReleased();
        Assert.Empty(match.Hub.Subscribers);
    }

    [Fact]
    public async Task A_full_queue_ends_the_subscription_with_how_far_behind_it_was()
    {
        using var match = new TestMatch();
        using var reader = match.Subscribe(Policy.Every, Overflow.End, queueBytes: 100_000);
        using var other = match.Subscribe(Policy.Every);
        const int Size = 8192; // A short frame counts as this much.
        for (var step = 0ul; step < 50; step++)
        {
            var frame = match.MakeFrame(step);
            var published = match.Hub.Publisher.PublishAsync(frame, Ct).AsTask();
            Assert.True(published.IsCompletedSuccessfully);
            Assert.Equal(step, other.ReadFrame().Step);
        }

        match.AssertAllReleased();
        var error = reader.ReadEvent(isLast: true).Error;
        Assert.Equal((8u, true), (error.Code, error.Fatal));
        var behind = (int)error.Step + 1;
        Assert.Contains($"{behind} frames", error.Message, StringComparison.Ordinal);
        Assert.InRange(behind * Size, 100_000, 100_000 + Size);
        await Assert.ThrowsAsync<InvalidOperationException>(reader.Read);
    }

    [Theory]
    [InlineData(false, Overflow.Pause)]
    [InlineData(true, Overflow.End)]
    public void Unspecified_pauses_a_stepped_match_and_ends_in_real_time(bool realtime, Overflow expected)
    {
        using var match = new TestMatch(realtime);
        using var reader = match.Subscribe(Policy.Unspecified, queueBytes: 1);
        Assert.Equal(Policy.Every, reader.Policy);
        _ = match.PublishAsync(0);
        Assert.Equal(expected == Overflow.End, match.PublishAsync(1).IsCompleted);
    }

    [Fact]
    public void The_end_comes_after_the_queued_frames()
    {
        using var match = new TestMatch();
        using var reader = match.Subscribe(Policy.Every);
        _ = match.PublishAsync(0);
        _ = match.PublishAsync(1);
        match.Hub.End(new MatchEnd { MatchId = TestMatch.Name, Step = 1 });
        Assert.Equal(0u, reader.ReadFrame().Step);
        Assert.Equal(1u, reader.ReadFrame().Step);
        Assert.Equal(1u, reader.ReadEvent(isLast: true).MatchEnd.Step);
    }

    [Fact]
    public async Task A_read_can_be_cancelled_and_taken_up_again()
    {
        using var match = new TestMatch();
        using var reader = match.Subscribe(Policy.Every);
        using var stop = new CancellationTokenSource();
        var read = reader.ReadAsync(stop.Token).AsTask();
        await Assert.ThrowsAsync<InvalidOperationException>(reader.Read);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read);
        var next = reader.Read();
        await match.PublishAsync(0);
        (await next).Release();
        match.AssertAllReleased();
        var last = reader.Read();
        reader.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => last);
    }
}
