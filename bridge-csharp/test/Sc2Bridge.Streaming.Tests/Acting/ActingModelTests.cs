using System.Globalization;
using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Random interleavings of agents that act, are dropped and fall behind, in a series of matches.</summary>
public sealed class ActingModelTests
{
    private const uint Side = 1;

    [Fact]
    public void Actions_reach_the_match_of_the_subscription_while_it_runs_and_no_other() =>
        Prop.ForAll<byte[], bool>((moves, realtime) => Play(moves, realtime))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(1000)).WithEndSize(200));

    /// <summary>Each byte is a move of one of three agents, or of the match.</summary>
    private static void Play(byte[] moves, bool realtime)
    {
        using var hub = new Hub(new HubOptions());
        var games = new List<Game>();
        var expected = new List<List<int>>();
        var waiting = new List<(Agent Agent, int Number)>();
        Begin();
        var agents = Enumerable.Range(0, 3).Select(_ => Join()).ToArray();
        var (step, number) = (0ul, 0);
        foreach (var move in moves)
        {
            ref var agent = ref agents[move / 10 % 3];
            switch (move % 10)
            {
                case < 3:
                    Step();
                    break;
                case < 7 when agent.Step is { } taken:
                    agent.Subscription.Act(Says(taken, ++number));
                    if (agent.Runs)
                    {
                        waiting.Add((agent, number));
                    }

                    break;
                case 7:
                    agent.Subscription.Drop(StatusCode.Unauthenticated, "expired");
                    agent.Runs = false;
                    break;
                case 8:
                    hub.End(new MatchEnd { NextFollows = true });
                    waiting.Clear();
                    Array.ForEach(agents, one => one.Runs = false);
                    Begin();
                    break;
                case 9:
                    // If an agent leaves without an end event, its actions are still carried out.
                    agent.Subscription.Dispose();
                    agent = Join();
                    break;
            }

            if (realtime)
            {
                Send();
            }

            Assert.Equal(expected, games.Select(game => game.Said));
        }

        Array.ForEach(agents, one => one.Subscription.Dispose());

        void Begin()
        {
            games.Add(new Game());
            expected.Add([]);
            var description = new MatchDescription
            {
                MatchId = $"match {games.Count}",
                Realtime = realtime,
                Perspectives = { Side },
                Players = { new Player { PlayerId = Side, Kind = PlayerKind.Agent } },
            };
            hub.Announce(description, games[^1]);
        }

        Agent Join() => new(hub.Subscribe(
            new V1.SubscribeRequest { Policy = Policy.Latest, CanAct = true }, new SubscriberInfo("test", DeliverInline: false)));

        void Step()
        {
            Assert.True(hub.Publisher.SendActionsAsync(Side, default).IsCompletedSuccessfully);
            Send();
            var header = new FrameHeader($"match {games.Count}", Side, ++step, (uint)step, 0, 0);
            var published = hub.Publisher.PublishAsync(ObservationFrame.Copy([], header), default);
            Assert.True(published.IsCompletedSuccessfully);
            foreach (var one in agents.Where(one => one.Runs))
            {
                one.Step = one.Subscription.ReadFrame().Step;
            }
        }

        void Send()
        {
            expected[^1].AddRange(waiting.Where(one => one.Agent.Runs).Select(one => one.Number));
            waiting.Clear();
        }
    }

    private static Actions Says(ulong step, int number) => new()
    {
        Step = step,
        Actions_ = { new SC2APIProtocol.Action { ActionChat = new() { Message = $"{number}" } } },
    };

    /// <param name="subscription">Its newest subscription.</param>
    private sealed class Agent(Subscription subscription)
    {
        public Subscription Subscription => subscription;

        public bool Runs { get; set; } = true;

        public ulong? Step { get; set; }
    }

    private sealed class Game : IGameRequests
    {
        public List<int> Said { get; } = [];

        public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
        {
            Said.AddRange(request.Action.Actions.Select(
                action => int.Parse(action.ActionChat.Message, CultureInfo.InvariantCulture)));
            var success = new ResponseAction();
            success.Result.AddRange(request.Action.Actions.Select(_ => ActionResult.Success));
            return Task.FromResult(new Response { Action = success });
        }
    }
}
