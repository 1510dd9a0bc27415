namespace Sc2Bridge.Streaming.Tests;

/// <summary>Agents that leave the side they play, or are dropped, while the match runs.</summary>
public sealed class GoneAgentTests : IDisposable
{
    private readonly PlayedMatch _match = new();
    private readonly List<uint> _deserted = [];
    private readonly List<string> _notices = [];

    public GoneAgentTests()
    {
        _match.Hub.Events.SideAbandoned += _deserted.Add;
        _match.Hub.Events.Noticed += _notices.Add;
    }

    private IReadOnlyList<string> Notices => _notices.Of(_match.Hub);

    private IReadOnlyList<uint> SideAbandoned => _deserted.Of(_match.Hub);

    public void Dispose() => _match.Dispose();

    [Fact]
    public async Task A_side_is_deserted_when_its_last_agent_has_left_and_not_before()
    {
        Assert.False(_match.Hub.IsSideAbandoned(PlayedMatch.Side));
        var first = _match.Join(agent: "first");
        var second = _match.Join(agent: "second");
        using var watcher = _match.Subscribe(Policy.Latest);
        var published = _match.PublishAsync(0);
        first.ReadFrame();
        first.Dispose();
        Assert.Equal(["agent 'first', which played player 2, left at step 0"], Notices);
        Assert.Empty(SideAbandoned);
        Assert.False(published.IsCompleted);
        second.Dispose();
        await published;
        Assert.Equal([PlayedMatch.Side], SideAbandoned);
        Assert.True(_match.Hub.IsSideAbandoned(PlayedMatch.Side));

        // An agent that reconnects continues to play, and may leave again.
        using var third = _match.Join(agent: "first");
        Assert.False(_match.Hub.IsSideAbandoned(PlayedMatch.Side));
        third.OnStreamEnded();
        Assert.Contains("ended its stream", Notices[^1], StringComparison.Ordinal);
        third.Dispose();
        Assert.Equal((2, 3), (SideAbandoned.Count, Notices.Count));
    }

    [Fact]
    public void Leaving_after_the_end_is_not_a_desertion()
    {
        var agent = _match.Join();
        _match.Hub.End(new MatchEnd());
        agent.Dispose();
        Assert.Empty(SideAbandoned);
        Assert.Empty(Notices);
    }

    [Fact]
    public void An_agent_that_sends_without_end_is_to_be_dropped_and_what_it_sent_before_counts()
    {
        using var agent = _match.Join(Policy.Every);
        _ = _match.PublishAsync(0);
        agent.ReadFrame();
        var said = 0;
        RequestRefusedException? refusal = null;
        while (refusal is null)
        {
            try
            {
                agent.AdmitMessage();
                said++;
            }
            catch (RequestRefusedException refused)
            {
                refusal = refused;
            }
        }

        Assert.InRange(said, MessageRateLimiter.Burst, 3 * MessageRateLimiter.Burst);
        Assert.Equal(StatusCode.ResourceExhausted, refusal.Code);
        agent.Drop(refusal.Code, refusal.Message);
        Assert.StartsWith(
            "agent 'agent' was dropped at step 0: more than 10000 messages", Notices[0], StringComparison.Ordinal);
        Assert.Equal([PlayedMatch.Side], SideAbandoned);
        Assert.Equal(refusal.Message, agent.ReadEvent(isLast: true).Error.Message);

        // A frame makes room for more requests.
        using var other = _match.Join(Policy.Every);
        for (var step = 1ul; step < 4; step++)
        {
            _ = _match.PublishAsync(step);
            other.ReadFrame();
            for (var count = 0; count < MessageRateLimiter.Burst; count++)
            {
                other.AdmitMessage();
            }
        }
    }
}
