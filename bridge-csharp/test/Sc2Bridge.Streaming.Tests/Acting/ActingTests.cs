using Sc2Bridge.Streaming.Acting;
using GameAction = SC2APIProtocol.Action;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Actions from agents through the hub to the game, and their results on the way back.</summary>
public sealed class ActingTests
{
    [Fact]
    public async Task In_a_stepped_match_actions_wait_for_the_step_and_its_frame_brings_their_results()
    {
        using var match = new PlayedMatch();
        using var agent = match.Join();
        var published = match.PublishAsync(0);
        agent.ReadFrame();
        agent.Act(Moves(0, 5, 1, 2));
        agent.Act(Moves(0, 6, 3));
        Assert.Empty(match.Acted);
        agent.Acknowledge(0);
        await published;
        await match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
        var request = Assert.Single(match.Acted);
        Assert.Equal((PlayedMatch.Side, 3), (request.Perspective, request.Actions.Actions.Count));
        _ = match.PublishAsync(1);
        var next = agent.ReadFrame();
        Assert.Equal((1ul, 2), (next.Step, next.Outcomes.Count));
        Assert.Equal((0ul, 5u, 2), Told(next.Outcomes[0]));
        Assert.Equal((0ul, 6u, 1), Told(next.Outcomes[1]));
        await match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
        Assert.Single(match.Acted);
    }

    [Fact]
    public async Task What_comes_with_the_acknowledgement_comes_before_it()
    {
        using var match = new PlayedMatch();
        using var agent = match.Join();
        var published = match.PublishAsync(0);
        agent.ReadFrame();
        agent.Acknowledge(
            new Acknowledgement { Step = 0, Actions = { Moves(0, 5, 1, 2), Moves(1, 6, 3), Moves(0, 7, 4) } });
        await published;
        await match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
        Assert.Equal(3, Assert.Single(match.Acted).Actions.Actions.Count);
        _ = match.PublishAsync(1);
        var told = agent.ReadFrame().Outcomes;
        Assert.Equal([6u, 5, 7], told.Select(result => result.RequestId));
        Assert.Equal(StatusCode.InvalidArgument, told[0].Error.Code);
    }

    [Fact]
    public void In_real_time_actions_go_to_the_game_at_once()
    {
        using var match = new PlayedMatch(realtime: true);
        using var agent = match.Join(Policy.Latest);
        _ = match.PublishAsync(0);
        agent.ReadFrame();
        agent.Act(Moves(0, 1, 8));
        Assert.Single(match.Acted);
        Assert.True(match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct).IsCompletedSuccessfully);
        _ = match.PublishAsync(1);
        Assert.Equal((0ul, 1u, 1), Told(agent));
    }

    [Fact]
    public async Task In_real_time_the_frame_after_the_games_answer_has_the_outcome()
    {
        var answer = new TaskCompletionSource<Response>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var match = new PlayedMatch(realtime: true) { Answer = answer.Task };
        using var agent = match.Join(Policy.Latest);
        _ = match.PublishAsync(0);
        agent.ReadFrame();
        agent.Act(Moves(0, 1, 8));
        var acting = match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
        Assert.False(acting.IsCompleted);
        answer.SetResult(new Response { Action = new ResponseAction { Result = { SC2APIProtocol.ActionResult.Success } } });
        await acting;
        _ = match.PublishAsync(1);
        Assert.Equal((0ul, 1u, 1), Told(agent));
    }

    [Fact]
    public void Of_several_agents_each_gets_its_own_outcome_and_the_lower_priority_loses_the_unit()
    {
        using var match = new PlayedMatch();
        using var builder = match.Join(agent: "builder");
        using var fighter = match.Join(agent: "fighter", priority: 3);
        _ = match.PublishAsync(0);
        builder.ReadFrame();
        fighter.ReadFrame();
        builder.Act(Moves(0, 1, 10, 11));
        fighter.Act(Moves(0, 2, 11));
        builder.Acknowledge(0);
        fighter.Acknowledge(0);
        Assert.True(match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct).IsCompletedSuccessfully);
        _ = match.PublishAsync(1);
        var told = builder.ReadFrame().Outcomes.Single();
        Assert.Equal([0, 1], told.Outcomes.Select(outcome => outcome.OverriddenUnitTags.Count).Order());
        Assert.Equal((0ul, 2u, 1), Told(fighter));
        var sent = Assert.Single(match.Acted).Actions.Actions.SelectMany(action => action.ActionRaw.UnitCommand.UnitTags);
        Assert.Equal([10ul, 11], sent);
    }

    [Fact]
    public void What_an_agent_may_not_send_is_refused_with_the_reason_and_nothing_of_it_is_done()
    {
        using var match = new PlayedMatch();
        using var watcher = match.Hub.Subscribe(new() { Agent = "w" }, new SubscriberInfo("test", false));
        using var agent = match.Join(Policy.Every);
        using var lockstep = match.Join(Policy.Lockstep);
        agent.Act(Moves(0, 1, 1));
        _ = match.PublishAsync(0);
        agent.Act(Moves(0, 2, 1));
        Refused(agent.ReadFrame(), 1, StatusCode.InvalidArgument, "wait for the first step");
        watcher.ReadFrame();
        watcher.Act(Moves(0, 9, 1));
        agent.Act(Moves(1, 3, 1));
        agent.Act(Moves(0, 4, [.. Enumerable.Range(0, 4097).Select(tag => (ulong)tag)]));
        agent.Act(new Actions
        {
            RequestId = 5,
            Actions_ = { new GameAction { ActionChat = new() { Message = new('x', 1 << 20) } } },
        });
        lockstep.ReadFrame();
        lockstep.Acknowledge(0);
        _ = match.PublishAsync(1);
        lockstep.Act(Moves(0, 6, 1));
        Refused(watcher.ReadFrame(), 9, StatusCode.FailedPrecondition, "'w' only watches: subscribe with can_act");
        var next = agent.ReadFrame();
        Refused(next, 2, StatusCode.InvalidArgument, "which was not sent to this agent yet");
        Refused(next, 3, StatusCode.InvalidArgument, "answer step 0, the newest");
        Refused(next, 4, StatusCode.ResourceExhausted, "at most 4096");
        Refused(next, 5, StatusCode.ResourceExhausted, "1048576 bytes");
        lockstep.ReadFrame();
        for (var step = 2ul; step <= 225; step++)
        {
            lockstep.Acknowledge(step - 1);
            _ = match.PublishAsync(step);
            next = lockstep.ReadFrame();
            if (step == 2)
            {
                Refused(next, 6, StatusCode.DeadlineExceeded, "the match did not wait for them");
            }
        }

        agent.Act(Moves(0, 7, 1));
        agent.Act(Moves(1, 8, 1));
        lockstep.Acknowledge(225);
        Assert.True(match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct).IsCompletedSuccessfully);
        Assert.Single(match.Acted);
        _ = match.PublishAsync(226);
        do
        {
            next = agent.ReadFrame();
        }
        while (next.Outcomes.Count == 0);
        Refused(next, 7, StatusCode.DeadlineExceeded, "step 0, and the game is already at step 225");
        Assert.Equal((226ul, (225ul, 8u, 1)), (next.Step, Told(next.Outcomes[1])));
    }

    [Fact]
    public void Only_a_side_that_agents_play_is_played()
    {
        using var match = new PlayedMatch();
        var info = new SubscriberInfo("test", false);
        var refusal = Assert.Throws<RequestRefusedException>(
            () => match.Hub.Subscribe(new() { CanAct = true, Perspective = 0 }, info));
        Assert.Equal(
            (StatusCode.FailedPrecondition, true), (refusal.Code, refusal.Message.Contains("--player agent:RACE")));
        using var later = new PlayedMatch(announce: false);
        using var early = later.Hub.Subscribe(new() { CanAct = true, Perspective = 1 }, info);
        later.Hub.Announce(later.Description, later);
        Assert.Contains("'computer'", early.ReadEvent(isLast: true).Error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Room_comes_back_with_the_answers()
    {
        using var match = new PlayedMatch();
        using var agent = match.Join(Policy.Every);
        _ = match.PublishAsync(0);
        agent.ReadFrame();
        ulong[] many = [.. Enumerable.Range(0, 4000).Select(tag => (ulong)tag)];
        for (var round = 0; round < 3; round++)
        {
            agent.Act(Moves(0, 1, many));
            agent.Act(Moves(0, 2, many));
            await match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
            await match.PublishAsync((ulong)round + 1);
            var next = agent.ReadFrame();
            Refused(next, 2, StatusCode.ResourceExhausted, "4000 (");
            Assert.Equal(((ulong)round, 1u, 4000), Told(next.Outcomes[1]));
        }
    }

    [Fact]
    public void Results_come_with_the_frames_that_they_belong_to_and_none_is_skipped()
    {
        foreach (var policy in new[] { Policy.Every, Policy.Latest })
        {
            using var match = new PlayedMatch();
            using var agent = match.Join(policy);
            _ = match.PublishAsync(0);
            agent.ReadFrame();
            for (var step = 0ul; step < 4; step++)
            {
                agent.Act(Moves(0, (uint)step, 1));
                Assert.True(match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct).IsCompletedSuccessfully);
                _ = match.PublishAsync(step + 1);
            }

            var heard = Enumerable.Range(0, policy == Policy.Every ? 4 : 1).Select(_ => Next(agent));
            Assert.Equal(
                policy == Policy.Every
                    ? ["frame 1 0, done 0", "frame 2 0, done 1", "frame 3 0, done 2", "frame 4 0, done 3"]
                    : ["frame 4 3, done 0, done 1, done 2, done 3"],
                heard);
        }
    }

    [Fact]
    public async Task An_agent_that_acts_and_never_reads_is_ended_and_takes_no_more_memory()
    {
        using var match = new PlayedMatch(realtime: true);
        using var agent = match.Join(Policy.Latest);
        _ = match.PublishAsync(0);
        agent.ReadFrame();
        for (var sent = 0; sent < (DeliveryQueue.MostOutcomeBytes / 128) + 10; sent++)
        {
            agent.Act(Moves(0, 1, 1));
        }

        var read = 0;
        Delivery delivery;
        while (!(delivery = await agent.Read()).IsLast)
        {
            Assert.NotNull(delivery.Event!.ActionsOutcome);
            read++;
        }

        Assert.InRange(read, 1000, DeliveryQueue.MostOutcomeBytes / 128);
        Assert.Contains("read frames while you act", delivery.Event!.Error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_matchs_end_answers_agents_that_still_wait()
    {
        using var match = new PlayedMatch { Answer = new TaskCompletionSource<Response>().Task };
        using var agent = match.Join(Policy.Every);
        _ = match.PublishAsync(0);
        agent.ReadFrame();
        agent.Act(Moves(0, 1, 1));
        var acting = match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
        agent.Act(Moves(0, 2, 1));
        match.Hub.End(new MatchEnd());
        var told = new[] { agent.ReadEvent(isLast: false), agent.ReadEvent(isLast: false) }.ToDictionary(
            told => told.ActionsOutcome.RequestId, told => told.ActionsOutcome);
        Assert.Contains("before the game answered", told[1].Outcomes.Single().Refusal, StringComparison.Ordinal);
        Assert.Contains("before the game got them", told[2].Error.Message, StringComparison.Ordinal);
        Assert.NotNull(agent.ReadEvent(isLast: true).MatchEnd);
        Assert.False(acting.IsCompleted);
    }

    [Fact]
    public async Task A_game_that_fails_or_is_stopped_is_an_outcome_and_nothing_is_thrown()
    {
        foreach (var (answer, says) in new (Task<Response>, string)[]
        {
            (Task.FromException<Response>(new RequestRefusedException(14, "The game hangs.")), "The game hangs."),
            (Task.FromException<Response>(new InvalidOperationException("odd")), "odd"),
            (Task.FromCanceled<Response>(new CancellationToken(true)), "stopped"),
        })
        {
            using var match = new PlayedMatch { Answer = answer };
            using var agent = match.Join(Policy.Every);
            _ = match.PublishAsync(0);
            agent.ReadFrame();
            agent.Act(Moves(0, 1, 1));
            await match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct);
            _ = match.PublishAsync(1);
            var told = agent.ReadFrame().Outcomes.Single().Outcomes.Single();
            Assert.Contains(says, told.Refusal, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Everything_sent_is_raised_with_its_sender_and_outcome()
    {
        using var match = new PlayedMatch();
        var heard = new List<ActionReport>();
        match.Hub.Events.Acted += heard.Add;
        using var agent = match.Join(Policy.Every, agent: "bot");
        _ = match.PublishAsync(0);
        agent.ReadFrame();
        var before = MonotonicClock.NowNs;
        agent.Act(Moves(0, 4, 1));
        agent.Act(Moves(3, 5, 2));
        Assert.True(match.Hub.Publisher.SendActionsAsync(PlayedMatch.Side, Ct).IsCompletedSuccessfully);
        Assert.Equal(["bot 3 5 0", "bot 0 4 1"], heard.Of(match.Hub).Select(deed =>
            $"{deed.Record.Agent} {deed.Record.Step} {deed.Record.Outcome.RequestId} {deed.Record.Outcome.Outcomes.Count}"));
        Assert.All(heard, deed => Assert.Equal((PlayedMatch.Side, 1), (deed.Record.Perspective, deed.Record.Actions.Count)));
        Assert.All(heard, deed => Assert.InRange(deed.RequestedNs, before, MonotonicClock.NowNs));
    }

    [Fact]
    public void Reported_times_say_how_many_actions_the_step_had()
    {
        using var match = new PlayedMatch();
        var reports = new List<TimesReport>();
        match.Hub.Events.TimesReported += reports.Add;
        using var agent = match.Join(Policy.Every);
        using var watcher = match.Subscribe(Policy.Every);
        foreach (var step in new ulong[] { 0, 1 })
        {
            _ = match.PublishAsync(step);
            agent.ReadFrame();
            agent.Act(Moves(step, 1, [.. Enumerable.Range(0, 2 + (int)step).Select(tag => (ulong)tag)]));
        }

        _ = match.PublishAsync(2);
        agent.ReadFrame();

        agent.Acknowledge(new Acknowledgement { Times = { new StepTimes { Step = 1 }, new StepTimes { Step = 0 } } });
        Assert.Equal([3, 2], reports.Of(match.Hub).Select(report => report.Actions));
        agent.Acknowledge(new Acknowledgement
        {
            Actions = { Moves(2, 1, 1, 2) },
            Times = { new StepTimes { Step = 2 } },
        });
        watcher.ReadFrame();
        watcher.Acknowledge(new Acknowledgement { Times = { new StepTimes { Step = 0 } } });
        Assert.Equal(2, reports.Of(match.Hub)[2].Actions);
        Assert.Null(reports.Of(match.Hub)[3].Actions);
    }

    private static Actions Moves(ulong step, uint id, params ulong[] units) => new()
    {
        Step = step,
        RequestId = id,
        Actions_ =
        {
            units.Select(unit => new GameAction
            {
                ActionRaw = new() { UnitCommand = new() { AbilityId = 16, UnitTags = { unit } } },
            }),
        },
    };

    private static (ulong Step, uint Id, int Done) Told(Subscription agent) =>
        Told(agent.ReadFrame().Outcomes.Single());

    private static (ulong Step, uint Id, int Done) Told(ActionsOutcome result)
    {
        Assert.Null(result.Error);
        return (result.Step, result.RequestId, result.Outcomes.Count(outcome => outcome.Result == (int)ActionResult.Success));
    }

    private static void Refused(V1.Frame frame, uint id, uint code, string says)
    {
        var result = frame.Outcomes.Single(one => one.RequestId == id);
        Assert.Equal((0, code), (result.Outcomes.Count, result.Error.Code));
        Assert.Contains(says, result.Error.Message, StringComparison.Ordinal);
    }

    // A frame's step, the number of missed frames before it, and the request ids of its results.
    private static string Next(Subscription agent)
    {
        var frame = agent.ReadFrame();
        return $"frame {frame.Step} {frame.Skipped?.Frames ?? 0}"
            + string.Concat(frame.Outcomes.Select(result => $", done {result.RequestId}"));
    }
}
