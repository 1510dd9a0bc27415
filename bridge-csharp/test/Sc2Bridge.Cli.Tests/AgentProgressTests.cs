using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli.Tests;

/// <summary>How far the started agents are.</summary>
public sealed class AgentProgressTests
{
    [Fact]
    public async Task The_progress_of_other_clients_is_not_kept()
    {
        using var match = new TestMatch();
        using var progress = new AgentProgress(match.Hub, ["started"]);
        for (var step = 0ul; step < 100; step++)
        {
            await ReportAsync($"stranger {step}", step);
        }

        await ReportAsync("started", 100);
        await match.PublishAsync(101);
        Assert.True(await match.Hub.Events.FlushAsync());
        Assert.Equal((-1, -2), (progress.ProgressMark("stranger 7"), progress.ProgressMark("started")));
        Assert.Equal("", progress.DescribeUnprocessed("stranger 7"));
        Assert.Equal("; it had processed step 100, but not the 1 newer steps", progress.DescribeUnprocessed("started"));

        async Task ReportAsync(string name, ulong step)
        {
            using var agent = match.Hub.Subscribe(new SubscribeRequest { Agent = name }, new SubscriberInfo("test", false));
            await match.PublishAsync(step);
            agent.ReadFrame();
            agent.Acknowledge(new Acknowledgement { Times = { new V1.StepTimes { Step = step } } });
        }
    }
}
