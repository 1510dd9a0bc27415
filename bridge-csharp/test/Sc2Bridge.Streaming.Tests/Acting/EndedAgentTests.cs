using GameAction = SC2APIProtocol.Action;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Agents that act after their subscription has ended: with the match, or because they were dropped.</summary>
public sealed class EndedAgentTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_agent_left_over_from_the_last_match_commands_no_units_in_the_next_one(bool realtime)
    {
        using var match = new PlayedMatch(realtime);
        var heard = new List<ActionReport>();
        match.Hub.Events.Acted += heard.Add;
        using var old = match.Join(Policy.Latest);
        _ = match.PublishAsync(0);
        old.ReadFrame();
        match.Follow("next");
        using var other = match.Join(Policy.Latest);
        _ = match.PublishAsync(0, "next");
        other.ReadFrame();

        old.Act(Says(0, "old"));
        old.Acknowledge(new Acknowledgement { Step = 0, Actions = { Says(0, "old") } });
        other.Act(Says(0, "new"));
        await match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
        Assert.Equal(["new"], Said(match));

        // The next match's recording has none of these actions.
        Assert.Equal(["new"], heard.Of(match.Hub).Select(report => report.Record.Actions.Single().ActionChat.Message));

        foreach (var _ in (int[])[1, 2])
        {
            var refused = old.ReadEvent(isLast: false).ActionsOutcome;
            Assert.Equal((StatusCode.FailedPrecondition, 7u, 0), (refused.Error.Code, refused.RequestId, refused.Outcomes.Count));
            Assert.Contains("the subscription of 'agent' has ended", refused.Error.Message, StringComparison.Ordinal);
        }

        Assert.Equal(V1.PlayResponse.EventOneofCase.MatchEnd, old.ReadEvent(isLast: true).EventCase);
        old.Act(Says(0, "late"));
        await match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
        Assert.Equal(["new"], Said(match));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_dropped_agent_commands_no_units_and_its_waiting_actions_are_refused(bool realtime)
    {
        using var match = new PlayedMatch(realtime);
        var (heard, timed) = (new List<ActionReport>(), new List<TimesReport>());
        match.Hub.Events.Acted += heard.Add;
        match.Hub.Events.TimesReported += timed.Add;
        using var dropped = match.Join(Policy.Latest, "dropped");
        using var other = match.Join(Policy.Latest, "other");
        _ = match.PublishAsync(0);
        dropped.ReadFrame();
        other.ReadFrame();
        dropped.Act(Says(0, "waits"));
        other.Act(Says(0, "other"));
        dropped.Drop(StatusCode.Unauthenticated, "expired");
        dropped.Act(Says(0, "too late"));
        dropped.Acknowledge(new Acknowledgement
        {
            Step = 0,
            Actions = { Says(0, "too late") },
            Times = { new StepTimes { Step = 0 } },
        });
        await match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);

        // In real time, the game received the first actions before the end.
        Assert.Equal(realtime ? ["waits", "other"] : ["other"], Said(match));
        Assert.Equal(
            realtime ? ["dropped ", "other "] : ["dropped the subscription of 'dropped' has ended", "other "],
            heard.Of(match.Hub).Select(one => $"{one.Record.Agent} {one.Record.Outcome.Error?.Message.Split(':')[0]}"));
        Assert.Empty(timed);

        // It receives only its error, and no longer plays its side.
        if (realtime)
        {
            Assert.Equal(1, dropped.ReadEvent(isLast: false).ActionsOutcome.Outcomes[0].Result);
        }

        Assert.Equal("expired", dropped.ReadEvent(isLast: true).Error.Message);
        other.Dispose();
        Assert.True(match.Hub.IsSideAbandoned(PlayedMatch.Side));
    }

    private static Actions Says(ulong step, string what) => new()
    {
        Step = step,
        RequestId = 7,
        Actions_ = { new GameAction { ActionChat = new() { Message = what } } },
    };

    private static IEnumerable<string> Said(PlayedMatch match) =>
        match.Acted.SelectMany(sent => sent.Actions.Actions).Select(action => action.ActionChat.Message);
}
