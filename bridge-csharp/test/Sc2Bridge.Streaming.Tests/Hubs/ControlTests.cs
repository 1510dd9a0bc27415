using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Who may control a match, and the refusal if nothing can control it.</summary>
public sealed class ControlTests
{
    [Fact]
    public void A_recorded_match_is_controlled_and_answers_carry_the_tag()
    {
        using var match = new TestMatch(announce: false);
        var playback = new Playback();
        match.Hub.Announce(match.Description, match, playback);
        var state = match.Hub.CurrentMatch.Control(
            new ControlRequest { MatchId = TestMatch.Name, Pause = true }, Identity.Anonymous);
        Assert.True(state.Paused);
        Assert.True(Assert.Single(playback.Asked).Pause);
    }

    [Theory]
    [InlineData(true, "", StatusCode.FailedPrecondition, "is not played from a recording")]
    [InlineData(true, "other", StatusCode.NotFound, "match 'other' does not run")]
    [InlineData(false, "", StatusCode.FailedPrecondition, "no match runs yet")]
    public void Any_other_match_refuses(bool runs, string name, uint code, string why)
    {
        using var match = new TestMatch(announce: runs);
        var refused = Assert.Throws<RequestRefusedException>(
            () => match.Hub.CurrentMatch.Control(new ControlRequest { MatchId = name, SeekLoop = 4 }, Identity.Anonymous));
        Assert.Equal(code, refused.Code);
        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_playback_that_has_ended_is_controlled_no_more()
    {
        using var match = new TestMatch(announce: false);
        match.Hub.Announce(match.Description, match, new Playback());
        match.Hub.End(new MatchEnd());
        Assert.Throws<RequestRefusedException>(() => match.Hub.CurrentMatch.Control(new ControlRequest(), Identity.Anonymous));
        match.Hub.Announce(match.Description, match);
        Assert.Contains(
            "not played from a recording",
            Assert.Throws<RequestRefusedException>(() => match.Hub.CurrentMatch.Control(new ControlRequest(), Identity.Anonymous)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_newest_wish_to_begin_again_is_granted_once_also_between_matches()
    {
        var restarts = new Restarts();
        using var hub = new Hub(new HubOptions { Restarts = restarts });
        Assert.False(restarts.Requested.IsCompleted);
        hub.CurrentMatch.Control(new ControlRequest { Restart = 4 }, Identity.Anonymous);
        var state = hub.CurrentMatch.Control(new ControlRequest { Restart = 5 }, Identity.Anonymous);
        await restarts.Requested;
        Assert.Equal(5u, restarts.Dequeue());
        Assert.False(restarts.Requested.IsCompleted);
        Assert.Throws<RequestRefusedException>(
            () => hub.CurrentMatch.Control(new ControlRequest { Restart = 6, MatchId = "other" }, Identity.Anonymous));
    }

    [Fact]
    public void A_match_that_was_not_started_for_it_does_not_begin_again()
    {
        using var match = new TestMatch(announce: true);
        var refused = Assert.Throws<RequestRefusedException>(
            () => match.Hub.CurrentMatch.Control(new ControlRequest { Restart = 4 }, Identity.Anonymous));
        Assert.Equal(StatusCode.FailedPrecondition, refused.Code);
        Assert.Contains("--restarts", refused.Message, StringComparison.Ordinal);
    }

    private sealed class Playback : IPlayback
    {
        public List<ControlRequest> Asked { get; } = [];

        public PlaybackState Control(ControlRequest request)
        {
            Asked.Add(request);
            return new PlaybackState { Paused = request.Pause };
        }
    }
}
