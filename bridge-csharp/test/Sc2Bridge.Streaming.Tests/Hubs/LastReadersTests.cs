using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>The subscribers for which the end of a match waits.</summary>
public sealed class LastReadersTests
{
    private static readonly Identity _watcher = new("watcher", Roles.Watch);
    private readonly ManualTime _time = new();

    [Theory]
    [InlineData(false, false, 2)]
    [InlineData(true, true, 2)]
    [InlineData(true, false, 20)]
    public async Task A_client_without_the_role_hold_and_all_after_an_interrupt_are_waited_for_two_seconds_at_most(
        bool mayHold, bool isInterrupted, int seconds)
    {
        using var match = new TestMatch();
        using var watcher = Subscribe(match, mayHold ? Identity.Anonymous : _watcher);
        await match.PublishAsync(0);
        match.Hub.End(new MatchEnd { MatchId = TestMatch.Name });
        var waiting = LastReaders.WaitAsync(match.Hub, TestMatch.Name, _time, new CancellationToken(isInterrupted));
        Pass(TimeSpan.FromSeconds(seconds - 1));
        Assert.False(waiting.IsCompleted);
        Pass(TimeSpan.FromSeconds(2));
        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_client_that_takes_a_frame_now_and_then_is_waited_for_a_minute_in_all()
    {
        using var match = new TestMatch();
        using var slow = Subscribe(match, Identity.Anonymous);
        for (var step = 0ul; step < 100; step++)
        {
            await match.PublishAsync(step);
        }

        match.Hub.End(new MatchEnd { MatchId = TestMatch.Name });
        var waiting = LastReaders.WaitAsync(match.Hub, TestMatch.Name, _time, Ct);
        for (var taken = 0; taken < 5; taken++)
        {
            slow.ReadFrame();
            Pass(TimeSpan.FromSeconds(11));
            Assert.False(waiting.IsCompleted);
        }

        slow.ReadFrame();
        Pass(TimeSpan.FromSeconds(11));
        Assert.True(waiting.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_client_that_takes_nothing_is_waited_for_20_seconds_and_one_that_has_read_all_no_longer()
    {
        using var match = new TestMatch();
        using var stuck = Subscribe(match, Identity.Anonymous);
        using var other = Subscribe(match, Identity.Anonymous);
        await match.PublishAsync(0);
        match.Hub.End(new MatchEnd { MatchId = TestMatch.Name });
        var waiting = LastReaders.WaitAsync(match.Hub, TestMatch.Name, _time, Ct);
        Pass(LastReaders.Patience - TimeSpan.FromSeconds(1));
        Assert.False(waiting.IsCompleted);
        Pass(TimeSpan.FromSeconds(2));
        Assert.True(waiting.IsCompletedSuccessfully);

        waiting = LastReaders.WaitAsync(match.Hub, TestMatch.Name, _time, Ct);
        Assert.False(waiting.IsCompleted);
        stuck.Dispose();
        other.Dispose();
        Pass(TimeSpan.FromSeconds(1));
        Assert.True(waiting.IsCompletedSuccessfully);
    }

    // In steps that are shorter than the interval between two checks of the subscribers.
    private void Pass(TimeSpan time)
    {
        var step = TimeSpan.FromMilliseconds(10);
        for (var passed = TimeSpan.Zero; passed < time; passed += step)
        {
            _time.Advance(step);
        }
    }

    private static Subscription Subscribe(TestMatch match, Identity identity) => match.Hub.Subscribe(
        new SubscribeRequest { Policy = Policy.Every, Overflow = Overflow.End },
        new SubscriberInfo("test", DeliverInline: false, Identity: identity));
}
