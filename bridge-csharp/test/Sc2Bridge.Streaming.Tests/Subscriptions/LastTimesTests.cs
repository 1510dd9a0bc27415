namespace Sc2Bridge.Streaming.Tests;

/// <summary>At a match's end, the bridge waits for these subscribers until they report their times of the last step.</summary>
public sealed class LastTimesTests
{
    private static readonly MatchEnd End = new() { MatchId = TestMatch.Name, Reason = EndReason.Finished };

    [Theory]
    [InlineData("reports the last")]
    [InlineData("ends its answers")]
    [InlineData("leaves")]
    public void A_match_waits_for_an_agents_times_until_it(string does)
    {
        using var match = new TestMatch();
        using var agent = Heard(match, reportsTimes: true);
        var waited = agent.WaitForLastTimesAsync();
        agent.Acknowledge(new Acknowledgement { Times = { new StepTimes { Step = 0 } } });
        agent.Acknowledge(1);
        Assert.False(waited.IsCompleted);
        switch (does)
        {
            case "reports the last":
                agent.Acknowledge(new Acknowledgement { Times = { new StepTimes { Step = 1 } } });
                break;
            case "ends its answers":
                agent.OnStreamEnded();
                break;
            default:
                agent.Dispose();
                break;
        }

        Assert.True(waited.IsCompletedSuccessfully);
        Assert.True(agent.WaitForLastTimesAsync().IsCompletedSuccessfully);
    }

    [Fact]
    public void Nobody_waits_for_an_agent_that_reports_none_or_has_received_nothing()
    {
        using var match = new TestMatch();
        using var other = Heard(match, reportsTimes: false);
        Assert.True(other.WaitForLastTimesAsync().IsCompletedSuccessfully);

        using var without = new TestMatch();
        using var early = Join(without, reportsTimes: true);
        without.Hub.End(End);
        early.ReadEvent(isLast: true);
        Assert.True(early.WaitForLastTimesAsync().IsCompletedSuccessfully);
    }

    private static Subscription Join(TestMatch match, bool reportsTimes) => match.Hub.Subscribe(
        new V1.SubscribeRequest { Policy = Policy.Every, ReportsTimes = reportsTimes },
        new SubscriberInfo("test", DeliverInline: false));

    // Reads two steps and the end.
    private static Subscription Heard(TestMatch match, bool reportsTimes)
    {
        var agent = Join(match, reportsTimes);
        _ = match.PublishAsync(0);
        _ = match.PublishAsync(1);
        match.Hub.End(End);
        agent.ReadFrame();
        agent.ReadFrame();
        agent.ReadEvent(isLast: true);
        return agent;
    }
}
