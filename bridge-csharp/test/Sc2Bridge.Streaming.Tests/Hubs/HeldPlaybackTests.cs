namespace Sc2Bridge.Streaming.Tests;

/// <summary>A paused playback publishes nothing, but a new subscriber must still see its current frame.</summary>
public sealed class HeldPlaybackTests
{
    [Fact]
    public async Task A_subscriber_for_the_newest_frame_gets_that_frame_and_the_next_ones()
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
    public async Task A_subscriber_that_joins_during_a_publication_gets_that_frame_once()
    {
        using var match = new TestMatch(announce: false);
        match.Hub.Announce(match.Description, match, new Playback());
        await match.PublishAsync(8);
        using var latest = match.Subscribe(Policy.Latest);
        var newest = match.Hub.Perspectives.KeptFrame(0)!;
        latest.Offer(newest, match.Hub.Perspectives.Of(0).Barrier);
        newest.Release();
        Assert.Equal(8ul, latest.ReadFrame().Step);
        Assert.False(latest.Read().IsCompleted);
        await match.PublishAsync(9);
        Assert.Equal(0, match.Hub.Subscribers.Sum(one => one.Dropped));
    }

    [Fact]
    public async Task A_subscriber_to_another_perspective_or_a_live_match_waits_for_the_next_frame()
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
