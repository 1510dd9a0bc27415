using Google.Protobuf.Reflection;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;
using GameAction = SC2APIProtocol.Action;

namespace Sc2Bridge.Games.Tests.StarCraft;

/// <summary>Agents that play on the simulated game, without transports.</summary>
public sealed class SimulatedPlayTests
{
    private static readonly MatchSettings _settings = new()
    {
        Seed = 5,
        StepSize = 2,
        Players = [PlayerSpec.Agent(Race.Terran), PlayerSpec.Computer(Race.Zerg, Difficulty.VeryEasy)],
    };

    [Fact]
    public async Task Several_agents_play_one_side_and_their_questions_are_answered_to_the_right_one_meanwhile()
    {
        await using var match = await PlayedGame.StartAsync(steps: 6);
        using var builder = match.Join("builder");
        using var scout = match.Join("scout", priority: 1);
        var run = match.RunAsync();
        var first = await NextAsync(builder);
        await NextAsync(scout);
        var units = first.Observation.Observation.RawData.Units.Where(unit => unit.Owner == 1).ToList();
        var workers = units.Where(unit => unit.UnitType == Scv).Select(unit => unit.Tag).ToArray();

        // While the game waits for both agents: many queries at once, and each answer has its own length.
        var asked = Enumerable.Range(1, 40).Select(count => (count, Answer: match.AskAsync(count, $"agent {count % 3}")));
        Assert.All(
            await Task.WhenAll(asked.Select(async one => (one.count, (await one.Answer).Query.Placements.Count))),
            one => Assert.Equal(one.count, one.Count));
        Assert.False(run.IsCompleted);

        // Both command the first worker. The command of the agent with the higher priority wins.
        var home = units.First(unit => unit.UnitType == CommandCentre).Pos;
        builder.Act(Move(0, home, 0, workers[0], workers[1]));
        scout.Act(Move(0, home, 30, workers[0]));
        builder.Acknowledge(new V1.Acknowledgement { Step = 0 });
        scout.Acknowledge(new V1.Acknowledgement { Step = 0 });
        var next = await NextAsync(builder);
        var told = next.Outcomes.Single().Outcomes.Single();
        Assert.Equal((1, workers[0]), (told.Result, told.OverriddenUnitTags.Single()));
        Assert.Equal(1, (await NextAsync(scout)).Outcomes.Single().Outcomes.Single().Result);
        scout.Acknowledge(new V1.Acknowledgement { Step = 1 });
        var orders = next.Observation.Observation.RawData.Units.ToDictionary(unit => unit.Tag, unit => unit.Orders);
        Assert.Equal(home.X, orders[workers[1]].Single().TargetWorldSpacePos.X);
        Assert.Equal(home.X + 30, orders[workers[0]].Single().TargetWorldSpacePos.X);
        Assert.Equal(V1.EndReason.StepLimit, (await FollowAsync(scout, run, builder)).Reason);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_player_that_gives_up_has_lost_and_the_match_ends_where_it_is(bool beforeItRuns)
    {
        await using var match = await PlayedGame.StartAsync(steps: 6);
        using var agent = match.Join("agent");
        if (beforeItRuns)
        {
            match.Forfeit(1);
        }

        var run = match.RunAsync();
        if (!beforeItRuns)
        {
            await NextAsync(agent);
            match.Forfeit(1);
            match.Forfeit(2);
        }

        var end = await run;
        Assert.Equal((false, 0ul), (end.Aborted, end.Step));
        Assert.StartsWith("forfeited by player 1", end.Detail, StringComparison.Ordinal);
        Assert.Equal(
            [(1u, Result.Defeat), (2u, Result.Victory)],
            end.Results.Select(result => (result.PlayerId, result.Result)));
        Assert.Equal(end, (await agent.ReadAsync(Ct)).Event?.MatchEnd);
    }

    [Fact]
    public async Task Whatever_an_agent_sends_is_answered_and_the_match_goes_on()
    {
        await using var match = await PlayedGame.StartAsync(steps: 300);
        using var agent = match.Join("fuzz");
        var run = match.RunAsync();
        var random = new Random(11);
        var (sent, told, steps, last) = (0, 0, 0, 0);
        ulong[] tags = [];
        for (Delivery next; !(next = await agent.ReadAsync(Ct)).IsLast; next.Release())
        {
            if (next.Event is { } happened)
            {
                // All actions of the last step are refused, because no step follows.
                Assert.Equal((299u, true), (happened.ActionsOutcome.RequestId, happened.ActionsOutcome.Error is not null));
                told += last;
                continue;
            }

            var heard = next.Parsed();
            var result = heard.Outcomes.SingleOrDefault();
            Assert.Equal(steps > 0 ? steps - 1 : null, (int?)result?.RequestId);
            Assert.All(result?.Outcomes ?? [], one => Assert.True(one.Result != 0 || one.Refusal.Length > 0));
            told += result?.Outcomes.Count ?? 0;
            var observation = heard.Observation;
            Assert.NotEmpty(observation.Observation.RawData.Units);
            tags = [.. observation.Observation.RawData.Units.Select(unit => unit.Tag)];
            var actions = new V1.Actions { Step = next.Frame!.Header.Step, RequestId = (uint)steps++ };
            for (var count = random.Next(12); count > 0; count--)
            {
                actions.Actions_.Add((GameAction)Fuzz.Message(GameAction.Descriptor, random, tags, depth: 0));
            }

            sent += last = actions.Actions_.Count;
            agent.Act(actions);
            agent.Acknowledge(new V1.Acknowledgement { Step = next.Frame!.Header.Step });
        }

        Assert.Equal((V1.EndReason.StepLimit, 300, sent), ((await run).Reason, steps, told));
        Assert.True(sent > 1000);
    }

    private const uint Scv = 45;
    private const uint CommandCentre = 18;

    private static V1.Actions Move(ulong step, Point from, float right, params ulong[] units) => new()
    {
        Step = step,
        Actions_ =
        {
            new GameAction
            {
                ActionRaw = new()
                {
                    UnitCommand = new()
                    {
                        AbilityId = 16,
                        UnitTags = { units },
                        TargetWorldSpacePos = new Point2D { X = from.X + right, Y = from.Y },
                    },
                },
            },
        },
    };

    private static async Task<V1.Frame> NextAsync(Streaming.Subscription agent)
    {
        var delivery = await agent.ReadAsync(Ct);
        var frame = delivery.Parsed();
        delivery.Release();
        return frame;
    }

    private static async Task<V1.MatchEnd> FollowAsync(
        Streaming.Subscription agent, Task<V1.MatchEnd> run, Streaming.Subscription leaves)
    {
        leaves.Dispose();
        for (Delivery next; !(next = await agent.ReadAsync(Ct)).IsLast; next.Release())
        {
            agent.Acknowledge(new V1.Acknowledgement { Step = next.Frame?.Header.Step ?? 0 });
        }

        return await run;
    }

    /// <summary>A match on a simulated game that runs in this process, behind its socket.</summary>
    private sealed class PlayedGame(GameApiServer game, StarCraftSource source, Hub hub, MatchRunner runner)
        : IAsyncDisposable
    {
        public static async Task<PlayedGame> StartAsync(ulong steps)
        {
            var game = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
            var source = new StarCraftSource(_settings, new GameAddress("127.0.0.1", game.Port));
            var hub = new Hub(new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan });
            var runner = new MatchRunner(source, hub, StepRate.Max, steps);
            await runner.StartAsync(Ct);
            return new PlayedGame(game, source, hub, runner);
        }

        public Streaming.Subscription Join(string name, uint priority = 0) => hub.Subscribe(
            new V1.SubscribeRequest { Agent = name, Policy = V1.Policy.Lockstep, CanAct = true, Priority = priority },
            new SubscriberInfo("test", DeliverInline: false));

        public Task<Response> AskAsync(int placements, string agent)
        {
            var query = new RequestQuery();
            for (var count = 0; count < placements; count++)
            {
                query.Placements.Add(
                    new RequestQueryBuildingPlacement { AbilityId = 319, TargetPos = new Point2D { X = 40, Y = 40 } });
            }

            var request = new V1.CallGameRequest { Perspective = 1, Request = new Request { Query = query } };
            return hub.CurrentMatch.RequestAsync(request, agent, Identity.Anonymous, Ct);
        }

        public void Forfeit(uint player) => runner.Forfeit(player);

        public Task<V1.MatchEnd> RunAsync() => Task.Run(() => runner.RunAsync(Ct));

        public async ValueTask DisposeAsync()
        {
            await source.DisposeAsync();
            hub.Dispose();
            await game.DisposeAsync();
        }
    }

    /// <summary>Messages with random fields. Most values are plausible.</summary>
    private static class Fuzz
    {
        private static readonly float[] _places = [40, 0, -1, 1e9f, float.NaN, float.PositiveInfinity, 87.5f];

        public static IMessage Message(MessageDescriptor kind, Random random, ulong[] tags, int depth)
        {
            var message = kind.Parser.ParseFrom(ByteString.Empty);
            foreach (var field in kind.Fields.InFieldNumberOrder().Where(_ => random.Next(depth < 2 ? 5 : 3) == 0 || depth == 1))
            {
                if (field.IsRepeated)
                {
                    var list = (System.Collections.IList)field.Accessor.GetValue(message);
                    for (var count = random.Next(5); count > 0; count--)
                    {
                        list.Add(Value(field, random, tags, depth));
                    }
                }
                else
                {
                    field.Accessor.SetValue(message, Value(field, random, tags, depth));
                }
            }

            return message;
        }

        private static object Value(FieldDescriptor field, Random random, ulong[] tags, int depth) => field.FieldType switch
        {
            FieldType.Message => Message(field.MessageType, random, tags, depth + 1),
            FieldType.Enum => random.Next(-2, 9),
            FieldType.Float => _places[random.Next(_places.Length)],
            FieldType.Bool => random.Next(2) == 0,
            FieldType.Int32 => random.Next(4) == 0 ? random.Next(int.MinValue, int.MaxValue) : random.Next(4000),
            FieldType.UInt32 => (uint)random.Next(4000),
            FieldType.UInt64 => random.Next(4) == 0 ? (ulong)random.NextInt64() : tags[random.Next(tags.Length)],
            FieldType.String => new string('x', random.Next(300)),
            _ => throw new NotSupportedException($"{field.FullName}: {field.FieldType}"),
        };
    }
}
