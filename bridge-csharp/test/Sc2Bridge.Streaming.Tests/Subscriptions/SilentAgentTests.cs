namespace Sc2Bridge.Streaming.Tests;

/// <summary>Agents that play without lockstep, and send nothing any more.</summary>
public sealed class SilentAgentTests : IDisposable
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    private readonly ManualTime _time = new();
    private readonly PlayedMatch _match;
    private readonly List<string> _notices = [];
    private readonly List<uint> _deserted = [];
    private ulong _step;

    public SilentAgentTests()
    {
        _match = new PlayedMatch(options: new HubOptions { AgentTimeout = 10 * _second, TimeProvider = _time });
        _match.Hub.Events.Noticed += _notices.Add;
        _match.Hub.Events.SideAbandoned += _deserted.Add;
    }

    private IReadOnlyList<string> Notices => _notices.Of(_match.Hub);

    private IReadOnlyList<uint> SideAbandoned => _deserted.Of(_match.Hub);

    public void Dispose() => _match.Dispose();

    [Fact]
    public void An_agent_that_answered_and_falls_silent_is_dropped_with_the_reason()
    {
        using var agent = _match.Join(Policy.Latest);
        Publish();
        Assert.Equal(0u, agent.ReadFrame().Step);
        agent.Acknowledge(0);
        Publish(10);
        Assert.Empty(Notices);
        Publish();
        var notice = Assert.Single(Notices);
        Assert.StartsWith(
            "agent 'agent' was dropped at step 11: it plays and has sent nothing for 10 s", notice, StringComparison.Ordinal);
        Assert.Contains("--agent-timeout", notice, StringComparison.Ordinal);
        Assert.Equal([PlayedMatch.Side], SideAbandoned);

        // First the frames that waited, then the reason for the end.
        Assert.Equal(10u, agent.ReadFrame().Step);
        Assert.Equal(StatusCode.DeadlineExceeded, agent.ReadEvent(isLast: true).Error.Code);
    }

    [Fact]
    public void Whatever_it_says_shows_that_it_is_there()
    {
        using var agent = _match.Join(Policy.Latest);
        Publish();
        agent.ReadFrame();
        agent.Acknowledge(0);
        for (var round = 0; round < 5; round++)
        {
            Publish(9);
            agent.AdmitMessage();
            Publish(9);
            agent.Acknowledge(0);
        }

        Assert.Empty(Notices);
    }

    [Fact]
    public void Time_without_frames_is_nobodys_silence()
    {
        using var agent = _match.Join(Policy.Latest);
        Publish();
        agent.ReadFrame();
        agent.Acknowledge(0);
        Publish(4);
        _time.Advance(TimeSpan.FromHours(1));
        Publish(4);
        Assert.Empty(Notices);
        Publish(4);
        Assert.Single(Notices);
    }

    [Fact]
    public void One_that_never_answered_is_dropped_when_it_takes_nothing_any_more()
    {
        using var agent = _match.Join(Policy.Latest);
        for (var taken = 0ul; taken < 60; taken++)
        {
            Publish();
            Assert.Equal(taken, agent.ReadFrame().Step);
        }

        Publish(10);
        Assert.Empty(Notices);
        Publish();
        Assert.StartsWith(
            "agent 'agent' was dropped at step 70: it plays and has taken no frame for 10 s", Assert.Single(Notices),
            StringComparison.Ordinal);
        Assert.Equal([PlayedMatch.Side], SideAbandoned);
        Assert.Equal(69u, agent.ReadFrame().Step);
        Assert.Equal(StatusCode.DeadlineExceeded, agent.ReadEvent(isLast: true).Error.Code);
    }

    [Fact]
    public void One_that_never_answered_and_is_slow_stays()
    {
        using var agent = _match.Join(Policy.Latest);
        for (var round = 0; round < 5; round++)
        {
            Publish(9);
            agent.ReadFrame();
            Publish(9);
            agent.AdmitMessage();
        }

        Assert.Empty(Notices);
    }

    [Fact]
    public void What_one_takes_that_answers_is_no_answer()
    {
        using var agent = _match.Join(Policy.Latest);
        Publish();
        agent.ReadFrame();
        agent.Acknowledge(0);
        for (var taken = 0; taken < 10; taken++)
        {
            Publish();
            agent.ReadFrame();
        }

        Assert.Empty(Notices);
        Publish();
        Assert.Contains("has sent nothing for 10 s", Assert.Single(Notices), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false, Policy.Latest, true)]
    [InlineData(true, Policy.Every, true)]
    public void Who_only_watches_or_is_held_otherwise_may_be_silent(bool plays, Policy policy, bool answers)
    {
        using var agent = plays ? _match.Join(policy) : _match.Subscribe(policy);
        Publish();
        agent.ReadFrame();
        if (answers)
        {
            agent.Acknowledge(0);
        }

        Publish(60);
        Assert.Empty(Notices);
    }

    // One frame per second.
    private void Publish(int count = 1)
    {
        for (; count > 0; count--)
        {
            _time.Advance(_second);
            Assert.True(_match.PublishAsync(_step++).IsCompletedSuccessfully);
        }
    }
}
