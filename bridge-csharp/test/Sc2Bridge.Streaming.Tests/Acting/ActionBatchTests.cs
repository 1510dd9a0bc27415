using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Streaming.Acting;
using GameAction = SC2APIProtocol.Action;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Which of several agents' commands are carried out. No hub is used.</summary>
public sealed class ActionRoundTests
{
    private const uint Side = 2;
    private static readonly Hub _hub = new(new HubOptions());

    [Fact]
    public void Of_two_commands_to_a_unit_the_one_of_higher_priority_goes_to_the_game()
    {
        var (low, high) = (Agent("low", 1, 0), Agent("high", 2, 1));
        var (answer, sent) = Play([(low, [Move(1, 2, 3)]), (high, [Move(2), Move(2)])]);
        Assert.Equal([new ulong[] { 1, 3 }, [2], [2]], sent.Select(Tags));
        Assert.Equal([2ul], answer[low].Outcomes[0].OverriddenUnitTags);
        Assert.Equal((1, ""), (answer[low].Outcomes[0].Result, answer[low].Outcomes[0].Refusal));
        Assert.All(answer[high].Outcomes, outcome => Assert.Equal((1, 0), (outcome.Result, outcome.OverriddenUnitTags.Count)));
    }

    [Fact]
    public void Of_equals_the_first_subscriber_is_obeyed_and_the_outcome_names_it()
    {
        var (first, second) = (Agent("first", 7, 3), Agent("second", 7, 4));
        var (answer, sent) = Play([(second, [Move(5, 6), Chat()]), (first, [Move(6, 5)])]);
        Assert.Equal([GameAction.ActionRawFieldNumber, GameAction.ActionChatFieldNumber], Kinds(sent).Order());
        Assert.Equal((0, 2), (answer[second].Outcomes[0].Result, answer[second].Outcomes[0].OverriddenUnitTags.Count));
        Assert.Contains("'first'", answer[second].Outcomes[0].Refusal, StringComparison.Ordinal);
        Assert.Equal(1, answer[second].Outcomes[1].Result);
    }

    [Fact]
    public void Switching_autocast_is_no_command_and_what_is_refused_claims_nothing()
    {
        var (low, high) = (Agent("low", 0, 0), Agent("high", 9, 1));
        var nowhere = Move(1);
        nowhere.ActionRaw.UnitCommand.TargetWorldSpacePos = new Point2D { X = float.NaN };
        var toggle = new GameAction { ActionRaw = new() { ToggleAutocast = new() { UnitTags = { 1 } } } };
        var (answer, sent) = Play([(high, [nowhere, toggle, new GameAction()]), (low, [Move(1)])]);
        Assert.Equal([toggle, Move(1)], sent);
        Assert.Equal([0, 1, 0], answer[high].Outcomes.Select(outcome => outcome.Result));
        Assert.Contains("finite", answer[high].Outcomes[0].Refusal, StringComparison.Ordinal);
        Assert.Contains("is empty", answer[high].Outcomes[2].Refusal, StringComparison.Ordinal);
    }

    [Fact]
    public void At_once_a_command_loses_to_one_before_it_only_and_only_until_the_next_step()
    {
        var game = new Game { Answer = null };
        var side = new SideActions(Side, game, atOnce: true, static _ => { });
        var (low, high) = (Agent("low", 0, 0), Agent("high", 1, 1));
        side.SendOrEnqueue(Of(low, Move(7)));
        Assert.Equal([7ul], Tags(game.Sent.Single()));
        side.SendOrEnqueue(Of(high, Move(7)));
        Assert.Equal([7ul], Tags(game.Sent.Last()));
        var late = Of(low, Move(7));
        side.SendOrEnqueue(late);
        Assert.Equal(2, game.Sent.Count);
        Assert.Equal([7ul], late.Outcome.Outcomes.Single().OverriddenUnitTags);
        side.OnStep(5);
        side.SendOrEnqueue(Of(low, Move(7)));
        Assert.Equal([7ul], Tags(game.Sent[2]));
    }

    [Fact]
    public async Task An_answer_that_cannot_be_told_apart_is_nobodys()
    {
        foreach (var odd in new Response[]
        {
            new() { Action = new() { Result = { ActionResult.Success } } },
            new() { Error = { "Not in a game" } },
        })
        {
            var part = Of(Agent("a", 0, 0), Move(1), Move(2));
            Assert.Same(part, Assert.Single((await PlayAsync([part], _ => odd)).Told));
            Assert.All(part.Outcome.Outcomes, outcome => Assert.True(outcome is { Result: 0, Refusal.Length: > 0 }));
        }
    }

    [Fact]
    public async Task An_answer_after_the_end_of_the_match_is_not_reported()
    {
        var (game, told) = (new Game { Answer = null }, new List<AgentActions>());
        var side = new SideActions(Side, game, atOnce: false, told.Add);
        var (sent, waits) = (Of(Agent("a", 0, 0), Move(1)), Of(Agent("b", 0, 1), Move(2)));
        side.SendOrEnqueue(sent);
        var sending = side.SendAsync(Ct);
        side.SendOrEnqueue(waits);
        side.End();
        game.Late.SetResult(new Response { Action = new() { Result = { ActionResult.Success } } });
        await sending.WaitAsync(TimeSpan.FromMinutes(1), Ct);
        Assert.Equal([waits, sent], told);
        Assert.Equal((0, "the match ended before the game answered"), (sent.Outcome.Outcomes[0].Result, sent.Outcome.Outcomes[0].Refusal));
        Assert.Equal("the match ended before the game got them", waits.Outcome.Error.Message);
    }

    [Fact]
    public void Whatever_is_sent_each_unit_obeys_one_agent_and_each_agent_gets_an_outcome_for_all_it_sent() =>
        Prop.ForAll<byte[]>(Check).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(2000)).WithEndSize(60));

    // Each byte is a unit of a command. Sometimes the next command of the same agent or another one begins.
    private static void Check(byte[] bytes)
    {
        Subscription[] agents = [Agent("a", 1, 0), Agent("b", 0, 1), Agent("c", 1, 2), Agent("d", 0, 3)];
        var batches = new List<(Subscription Agent, List<GameAction> Actions)>();
        foreach (var b in bytes.Prepend((byte)255))
        {
            var tag = (ulong)(b % 8);
            if (b >= 192 || batches.Count == 0)
            {
                batches.Add((agents[b % 4], []));
            }

            if (b >= 128 || batches[^1].Actions.Count == 0)
            {
                batches[^1].Actions.Add(b % 16 == 0 ? new GameAction() : b % 16 == 1 ? Chat() : Move());
            }

            if (batches[^1].Actions[^1].ActionRaw is { } raw)
            {
                raw.UnitCommand.UnitTags.Add(tag);
            }
        }

        var parts = batches.ConvertAll(batch => Of(batch.Agent, [.. batch.Actions]));
        var before = parts.ConvertAll(part => part.Sent.Clone());
        var playing = PlayAsync(parts, request =>
        {
            var answer = new ResponseAction();
            answer.Result.AddRange(request.Actions.Select((_, index) => (ActionResult)(1 + index)));
            return new Response { Action = answer };
        });
        Assert.True(playing.IsCompletedSuccessfully);
        var (told, sent) = playing.Result;
        Assert.Equal(parts, told);
        Assert.Equal(before, parts.ConvertAll(part => part.Sent));

        var ranked = agents.OrderByDescending(agent => agent.Priority).ThenBy(agent => agent.Order).ToList();
        var winners = batches.SelectMany(batch => batch.Actions.SelectMany(Tags).Select(tag => (tag, batch.Agent)))
            .GroupBy(pair => pair.tag)
            .ToDictionary(group => group.Key, group => group.MinBy(pair => ranked.IndexOf(pair.Agent)).Agent);
        var expected = 1;
        foreach (var part in parts)
        {
            Assert.Equal((9ul, 3u), (part.Outcome.Step, part.Outcome.RequestId));
            Assert.Equal(part.Sent.Actions_.Count, part.Outcome.Outcomes.Count);
            foreach (var (action, outcome) in part.Sent.Actions_.Zip(part.Outcome.Outcomes))
            {
                Assert.Equal(Tags(action).Where(tag => !Equals(winners[tag], part.Sender)), outcome.OverriddenUnitTags);
                Assert.Equal(outcome.Result == 0, outcome.Refusal.Length > 0);
                if (outcome.Result > 0)
                {
                    Assert.Equal(expected, outcome.Result);
                    Assert.Equal(
                        Tags(action).Where(tag => Equals(winners[tag], part.Sender)),
                        Tags(sent[expected - 1]));
                    expected++;
                }
            }
        }

        Assert.Equal(sent.Count, expected - 1);
    }

    private static (Dictionary<Subscription, ActionsOutcome> Told, List<GameAction> Sent) Play(
        (Subscription Agent, GameAction[] Actions)[] sent)
    {
        var playing = PlayAsync([.. sent.Select(one => Of(one.Agent, one.Actions))], Success);
        Assert.True(playing.IsCompletedSuccessfully);
        return (playing.Result.Told.ToDictionary(part => part.Sender, part => part.Outcome), playing.Result.Sent);
    }

    // At step 9, as one request. The next step has nothing to send.
    private static async Task<(List<AgentActions> Told, List<GameAction> Sent)> PlayAsync(
        List<AgentActions> parts, Func<RequestAction, Response> answer)
    {
        var (game, told) = (new Game { Answer = answer }, new List<AgentActions>());
        var side = new SideActions(Side, game, atOnce: false, told.Add);
        side.OnStep(9);
        parts.ForEach(actions => side.SendOrEnqueue(actions));
        await side.SendAsync(Ct);
        var sent = game.Sent.ToList();
        await side.SendAsync(Ct);
        Assert.Equal(sent, game.Sent);
        return (told, sent);
    }

    private static Response Success(RequestAction request)
    {
        var answer = new ResponseAction();
        answer.Result.AddRange(request.Actions.Select(_ => ActionResult.Success));
        return new Response { Action = answer };
    }

    private static AgentActions Of(Subscription agent, params GameAction[] actions) =>
        new(agent, Side, new Actions { Step = 1, RequestId = 3, Actions_ = { actions } }, 100, 0);

    private static GameAction Move(params ulong[] tags) =>
        new() { ActionRaw = new() { UnitCommand = new() { AbilityId = 16, UnitTags = { tags } } } };

    private static GameAction Chat() => new() { ActionChat = new() { Message = "hi" } };

    private static IEnumerable<ulong> Tags(GameAction action) => action.ActionRaw?.UnitCommand?.UnitTags ?? [];

    private static IEnumerable<int> Kinds(IEnumerable<GameAction> actions) =>
        actions.Select(action => action.ActionRaw is null
            ? GameAction.ActionChatFieldNumber
            : GameAction.ActionRawFieldNumber);

    private static Subscription Agent(string name, uint priority, long order) => new(
        new SubscriberName(name, name, 0), order, new V1.SubscribeRequest { CanAct = true, Priority = priority },
        new SubscriberInfo("test", false), new HubOptions(), _hub.Subscriptions, _hub.Perspectives, _hub.Memory);

    private sealed class Game : IGameRequests
    {
        /// <summary>The immediate answer. Null if <see cref="Late"/> gives the answer.</summary>
        public required Func<RequestAction, Response>? Answer { get; init; }

        public TaskCompletionSource<Response> Late { get; } = new();

        public List<GameAction> Sent { get; } = [];

        public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
        {
            Assert.Equal(Side, perspective);
            Sent.AddRange(request.Action.Actions);
            return Answer is { } answer ? Task.FromResult(answer(request.Action)) : Late.Task;
        }
    }
}
