namespace Sc2Bridge.Streaming.Tests;

public sealed class HealthOfBridgeTests : IDisposable
{
    private readonly TestMatch _match = new(announce: false);
    private readonly List<string> _notices = [];
    private readonly HealthOfBridge _health;
    private (long Used, long Limit) _memory = (10, 100);

    public HealthOfBridgeTests()
    {
        _match.Description.Rate = 1000;
        _match.Hub.Announce(_match.Description, _match);
        _match.Hub.Events.Noticed += _notices.Add;
        _health = new HealthOfBridge(_match.Hub, () => _memory, new ManualTime());
    }

    public void Dispose()
    {
        _health.Dispose();
        _match.Dispose();
    }

    [Fact]
    public async Task An_agent_that_takes_longer_than_a_step_may_last_is_named_until_it_keeps_up()
    {
        using var slow = _match.Hub.Subscribe(
            new() { Agent = "slow", Policy = Policy.Lockstep }, new SubscriberInfo("test", true));
        using var quick = _match.Hub.Subscribe(new() { Agent = "quick" }, new SubscriberInfo("test", true));
        _health.CheckNow();
        Expect(HealthState.Serving);
        var published = _match.PublishAsync(0);
        Pass(TimeSpan.FromMilliseconds(5));
        _health.CheckNow();
        Expect(HealthState.Degraded, "agent 'slow' slows the match");
        slow.ReadFrame();
        slow.Acknowledge(0);
        await published;
        for (var looks = 0; looks < 6; looks++)
        {
            _health.CheckNow();
        }

        Expect(HealthState.Serving);
        Assert.Equal(
            ["degraded: agent 'slow' slows the match", "no longer: agent 'slow' slows the match"], _notices.Of(_match.Hub));
    }

    [Fact]
    public void Lost_records_and_low_memory_are_reasons()
    {
        var (lost, problem) = (3L, (string?)null);
        _health.WatchOutput("steps.csv", () => (lost, problem));
        _health.CheckNow();
        Expect(HealthState.Serving);
        lost = 4;
        _health.CheckNow();
        Expect(HealthState.Degraded, "the disk does not keep up: steps.csv has losses");
        problem = "steps.csv could not be written (No space left on device)";
        _health.CheckNow();
        Expect(HealthState.Degraded, problem);
        for (var looks = 0; looks < 6; looks++)
        {
            _health.CheckNow();
        }

        Expect(HealthState.Serving);
        _memory = (91, 100);
        _health.CheckNow();
        Expect(HealthState.Degraded, "memory is near its ceiling");
    }

    [Fact]
    public void Nobody_need_come_once_the_last_match_is_over()
    {
        _match.Hub.End(new MatchEnd { MatchId = TestMatch.Name, NextFollows = true });
        Expect(HealthState.Serving);
        _match.Description.MatchId = "next";
        _match.Hub.Announce(_match.Description, _match);
        _match.Hub.End(new MatchEnd { MatchId = "next" });
        Expect(HealthState.NotServing, "the last match is over");
    }

    private static void Pass(TimeSpan time)
    {
        var until = MonotonicClock.NowNs + (long)time.TotalNanoseconds;
        SpinWait.SpinUntil(() => MonotonicClock.NowNs > until);
    }

    private void Expect(HealthState state, params string[] reasons)
    {
        Assert.Equal(state, _health.Now.State);
        Assert.Equal(reasons, _health.Now.Reasons);
    }
}
