using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests.Hubs;

/// <summary>The system's wall clock is changed while a match runs.</summary>
public sealed class ClockJumpTests
{
    [Theory]
    [InlineData(2)]
    [InlineData(-2)]
    public async Task Tokens_go_by_it_and_deadlines_do_not(int hours)
    {
        var time = new ManualTime();
        using var match = new TestMatch(
            options: new HubOptions { TimeProvider = time, LockstepDeadline = TimeSpan.FromSeconds(1) });
        var who = Identity.Anonymous with { Expires = time.Wall.AddHours(1) };
        using var brief = match.Hub.Subscribe(
            new() { Policy = Policy.Latest }, new SubscriberInfo("test", DeliverInline: false, Identity: who));
        using var lockstep = match.Subscribe(Policy.Lockstep);
        var published = match.PublishAsync(0);

        time.Wall = time.Wall.AddHours(hours);
        time.Advance(TimeSpan.FromSeconds(0.9));
        Assert.False(published.IsCompleted);
        Assert.False(brief.HasEnded);
        time.Advance(TimeSpan.FromSeconds(0.2));
        await published;
        Assert.Equal(hours > 0, brief.HasEnded);
    }
}
