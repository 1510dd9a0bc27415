namespace Sc2Bridge.Streaming.Tests;

/// <summary>A playback that is held publishes nothing; who joins it is to see where it stands all the same.</summary>
public sealed class HeldPlaybackTests
{
    [Fact]
    public async Task Who_joins_it_for_the_newest_frame_gets_that_one_and_then_those_that_follow()
    {
        using var match = new TestMatch(announce: false);
        match.Hub.Announce(match.Description, match, new Playback());
        await match.PublishAsync(7);
        await match.PublishAsync(8);
        using var latest = match.Subscribe(Policy.Latest);
        using var every = match.Subscribe(Policy.Every);
        Assert.Equal(8ul, latest.ReadFrame().Step);
        await match.PublishAsync(9);
        Assert.Equal([9ul, 9ul], [latest.ReadFrame().Step, every.ReadFrame().Step]);
        Assert.Equal(0, match.Hub.Subscribers.Sum(one => one.Dropped));
        match.Hub.End(new MatchEnd());
        match.AssertAllReleased();
    }

    [Fact]
    public async Task Who_joins_while_the_newest_frame_is_published_gets_it_once()
    {
        using var match = new TestMatch(announce: false);
        match.Hub.Announce(match.Description, match, new Playback());
        await match.PublishAsync(8);
        using var latest = match.Subscribe(Policy.Latest);
        var newest = match.Hub.Perspectives.Kept(0)!;
        latest.Offer(newest, match.Hub.Perspectives.Of(0).Barrier);
        newest.Release();
        Assert.Equal(8ul, latest.ReadFrame().Step);
        Assert.False(latest.Read().IsCompleted);
        await match.PublishAsync(9);
        Assert.Equal(0, match.Hub.Subscribers.Sum(one => one.Dropped));
    }

    [Fact]
    public async Task Who_joins_another_perspective_or_a_live_match_waits_for_the_next()
    {
        using var match = new TestMatch(announce: false);
        match.Hub.Announce(match.Description, match, new Playback());
        await match.PublishAsync(7);
        using var other = match.Hub.Subscribe(
            new V1.SubscribeRequest { Policy = Policy.Latest, Perspective = 2 }, new SubscriberInfo("test", DeliverInline: false));
        Assert.False(other.Read().IsCompleted);

        using var live = new TestMatch();
        await live.PublishAsync(7);
        using var latest = live.Subscribe(Policy.Latest);
        Assert.False(latest.Read().IsCompleted);
        live.AssertAllReleased();
    }

    private sealed class Playback : IPlayback
    {
        public PlaybackState Control(ControlRequest request) => new() { Paused = true };
    }
}
