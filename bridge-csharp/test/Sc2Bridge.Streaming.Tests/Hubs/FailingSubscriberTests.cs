namespace Sc2Bridge.Streaming.Tests;

/// <summary>A subscriber in the bridge's own code that throws when it is offered a frame.</summary>
public sealed class FailingSubscriberTests
{
    [Theory]
    [InlineData(Policy.Lockstep)]
    [InlineData(Policy.Latest)]
    [InlineData(Policy.Every)]
    public async Task It_is_ended_and_the_match_goes_on_for_all_others(Policy policy)
    {
        using var match = new TestMatch();
        var notices = new List<string>();
        match.Hub.Events.Noticed += notices.Add;
        using var failing = Join(match, policy, failsFrom: 1);
        using var other = match.Subscribe(Policy.Every);
        for (var step = 0ul; step < 3; step++)
        {
            var published = match.PublishAsync(step);
            if (step == 0)
            {
                failing.ReadFrame();
                failing.Acknowledge(0);
            }

            await published.WaitAsync(TimeSpan.FromMinutes(1), Ct);
            Assert.Equal(step, other.ReadFrame().Step);
        }

        Assert.Equal(1, match.Hub.Subscribers.Count(one => one.HasEnded));
        var last = failing.ReadEvent(isLast: true).Error;
        Assert.Equal((StatusCode.Internal, "the bridge failed: a hook's defect"), (last.Code, last.Message));
        Assert.Equal(["agent 'agent' was dropped at step 1: the bridge failed: a hook's defect"], notices.Of(match.Hub));
        match.AssertAllReleased();
    }

    [Fact]
    public async Task A_queue_whose_bound_cannot_be_read_is_ended_too()
    {
        using var match = new TestMatch();
        using var failing = match.Hub.Subscribe(
            new V1.SubscribeRequest { Policy = Policy.Every },
            new SubscriberInfo("test", false, PauseBytes: () => throw new InvalidTimeZoneException("a hook's defect")));
        using var other = match.Subscribe(Policy.Every);
        for (var step = 0ul; step < 4; step++)
        {
            await match.PublishAsync(step).WaitAsync(TimeSpan.FromMinutes(1), Ct);
            Assert.Equal(step, other.ReadFrame().Step);
        }

        Assert.True(failing.HasEnded);
    }

    private static Subscription Join(TestMatch match, Policy policy, ulong failsFrom) => match.Hub.Subscribe(
        new V1.SubscribeRequest { Policy = policy },
        new SubscriberInfo("test", DeliverInline: false, OnOffered: frame =>
        {
            if (frame.Header.Step >= failsFrom)
            {
                throw new InvalidTimeZoneException("a hook's defect");
            }
        }));
}
