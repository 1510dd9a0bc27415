using Sc2Bridge.Simulator.Multiplayer;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.Simulator.Tests.Multiplayer;

public sealed class PeerLinkTests
{
    [Fact]
    public void Each_join_waits_for_the_other_and_both_play_the_same_match()
    {
        var pair = new Pair();
        Assert.Equal([1u, 2u], pair.Joined.Select(j => j!.JoinGame.PlayerId));
        for (var i = 0; i < 20; i++)
        {
            // Both act at the same loop. The order of their messages must not change the match.
            pair.Games[i % 2].Act(Game.Say($"first {i}"));
            pair.Games[1 - (i % 2)].Act(Game.Say($"second {i}"));
            var answers = pair.Step(3, 3);
            Assert.All(answers, a => Assert.Equal((uint)(3 * (i + 1)), a.Step.SimulationLoop));
            Assert.Equal(View(pair, 0).Chat, View(pair, 1).Chat);
        }

        Assert.Equal(Replay(pair, 0), Replay(pair, 1));
        var info = pair.Games[1].Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo;
        Assert.Equal(["host", "guest"], info.PlayerInfo.Select(p => p.PlayerName));
        Assert.Equal([false, true], info.PlayerInfo.Select(p => p.HasRaceActual));
    }

    [Fact]
    public void Two_worlds_with_orders_of_both_clients_stay_the_same()
    {
        var pair = new Pair();
        var random = new Random(6);
        for (var i = 0; i < 60; i++)
        {
            for (var side = 0; side < 2; side++)
            {
                var world = pair.Games[side].Match!.World;
                var own = world.Units.Where(u => u.Owner == side + 1).ToArray();
                var unit = own[random.Next(own.Length)];
                var able = unit.Type.Abilities;
                var command = new ActionRawUnitCommand { UnitTags = { unit.Tag }, QueueCommand = random.Next(3) == 0 };
                command.AbilityId = able.Length > 0 ? able[random.Next(able.Length)].Ability.Id : 1;
                var place = Game.At(random.Next(30, 110), random.Next(30, 110));
                command.TargetWorldSpacePos = random.Next(2) == 0 ? place : null;
                pair.Games[side].Act(new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = command } });
            }

            pair.Step((uint)(1 + (i % 3)), (uint)(1 + (i % 3)));
        }

        Assert.Equal(Places(0), Places(1));

        (ulong, int, int, int)[] Places(int side) =>
            [.. pair.Games[side].Match!.World.Units.Select(u => (u.Tag, u.X, u.Y, u.Health))];
    }

    [Fact]
    public void A_step_waits_for_the_others_steps_of_any_size()
    {
        var pair = new Pair();
        pair.Begin(0, new Request { Step = new RequestStep { Count = 4 } });
        pair.Pump();
        Assert.Null(pair.TryAnswer(0));
        for (var loop = 1u; loop <= 4; loop++)
        {
            pair.Begin(1, new Request { Step = new RequestStep() });
            pair.Pump();
            Assert.Equal(loop, pair.TryAnswer(1)!.Step.SimulationLoop);
            pair.Games[1].Act(Game.Say($"{loop}"));
        }

        Assert.Equal(4u, pair.TryAnswer(0)!.Step.SimulationLoop);
        Assert.Equal(["1", "2", "3"], View(pair, 0).Chat.Select(c => c.Message));
    }

    [Fact]
    public void Who_leaves_has_given_up_and_the_other_has_won()
    {
        var pair = new Pair();
        pair.Step(5, 5);
        Assert.Equal(Status.Launched, pair.Games[1].Handle(new Request { LeaveGame = new RequestLeaveGame() }).Status);
        pair.Pump();
        pair.Links[0].Lost("it left");
        AssertWon(pair);
    }

    [Fact]
    public void Who_vanishes_has_lost_even_in_the_middle_of_a_step()
    {
        var pair = new Pair();
        pair.Step(5, 5);
        pair.Begin(0, new Request { Step = new RequestStep { Count = 10 } });
        pair.Pump();
        Assert.Null(pair.TryAnswer(0));
        pair.Links[0].Lost("its process died");
        Assert.Equal(Status.Ended, pair.TryAnswer(0)!.Status);
        AssertWon(pair, steps: false);
    }

    [Fact]
    public void Different_ports_and_a_lost_connection_fail_both_joins_by_name()
    {
        var pair = new Pair(second: Pair.Join(Race.Zerg, "guest", 6000));
        Assert.All(pair.Joined, joined => Assert.Equal(JoinError.NetworkError, joined!.JoinGame.Error));
        Assert.All(pair.Joined, joined => Assert.Contains("different ports", joined!.JoinGame.ErrorDetails));
        Assert.Equal([Status.InitGame, Status.Launched], pair.Joined.Select(j => j!.Status));
    }

    [Fact]
    public void In_real_time_both_clocks_count()
    {
        var clock = new ManualClock();
        var pair = new Pair(realtime: true, new SimulatorOptions { Clock = clock });
        clock.Now += TimeSpan.FromSeconds(1);
        pair.Pump();
        pair.Games[0].Act(Game.Say("hello"));
        clock.Now += TimeSpan.FromSeconds(1);
        foreach (var game in pair.Games)
        {
            game.Advance();
        }

        pair.Pump();
        var (one, other) = (View(pair, 0), View(pair, 1));
        Assert.Equal(44u, one.Observation.GameLoop);
        Assert.Equal(44u, other.Observation.GameLoop);
        Assert.Equal("hello", Assert.Single(other.Chat).Message);
        Assert.Equal("Not supported in realtime mode", Assert.Single(pair.Games[0].Step().Error));
    }

    [Fact]
    public void Two_worlds_that_differ_end_the_match_with_one_error_on_each_side()
    {
        var pair = new Pair();
        pair.Step(300, 300);
        Assert.All(pair.Links, link => Assert.Null(link.Apart));

        // A change in one process only, which no client can make.
        pair.Games[1].Match!.World.Players[0].Minerals += 1;
        var answers = pair.Step(300, 300);
        Assert.All(answers, answer => Assert.Contains("differ since loop 336", Assert.Single(answer.Error)));
        Assert.All(answers, answer => Assert.Equal(Status.Ended, answer.Status));
        for (var side = 0; side < 2; side++)
        {
            View(pair, side);
            var last = pair.Games[side].Observe();
            Assert.Empty(last.Error);
            Assert.All(last.Observation.PlayerResult, result => Assert.Equal(Result.Tie, result.Result));
            Assert.Equal(2, last.Observation.PlayerResult.Count);
        }
    }

    [Fact]
    public void Requests_that_need_a_game_alone_are_refused()
    {
        var pair = new Pair();
        foreach (var request in new Request[]
        {
            new() { RestartGame = new RequestRestartGame() },
            new() { QuickSave = new RequestQuickSave() },
            new() { QuickLoad = new RequestQuickLoad() },
            new() { CreateGame = Game.CreateForOne() },
        })
        {
            Assert.Single(pair.Games[0].Handle(request).Error);
        }
    }

    [Fact]
    public void Debug_commands_work_for_who_created_the_game()
    {
        var pair = new Pair();
        pair.Games[0].Debug(new DebugCommand { GameState = DebugGameState.Minerals });
        pair.Games[1].Debug(new DebugCommand { GameState = DebugGameState.Minerals });
        pair.Step();
        Assert.True(View(pair, 0).Observation.PlayerCommon.Minerals >= 5000);
        Assert.True(View(pair, 1).Observation.PlayerCommon.Minerals < 5000);
    }

    [Fact]
    public void Whatever_the_other_side_sends_the_game_goes_on()
    {
        var random = new Random(17);
        for (var i = 0; i < 300; i++)
        {
            var link = new PeerLink(Pair.Join(Race.Terran, "me"), null, new SimulatorOptions());
            for (var j = 0; j < 10; j++)
            {
                var content = new byte[random.Next(40)];
                random.NextBytes(content);
                link.Received(PeerFrames.Pack((PeerMessage)random.Next(0, 9), content));
            }

            Assert.NotNull(link.Failure);
            Assert.False(link.Playing);
        }
    }

    private static ResponseObservation View(Pair pair, int side) => pair.Games[side].Observe().Observation;

    private static Google.Protobuf.ByteString Replay(Pair pair, int side) =>
        pair.Games[side].Handle(new Request { SaveReplay = new RequestSaveReplay() }).SaveReplay.Data;

    private static void AssertWon(Pair pair, bool steps = true)
    {
        if (steps)
        {
            pair.Begin(0, new Request { Step = new RequestStep() });
            Assert.Equal(Status.Ended, pair.TryAnswer(0)!.Status);
        }

        View(pair, 0);
        Assert.Equal([Result.Victory, Result.Defeat], View(pair, 0).PlayerResult.Select(r => r.Result));
    }
}
