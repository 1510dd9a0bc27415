using System.Security.Cryptography;
using Google.Protobuf;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Tests.World;

namespace Sc2Bridge.Simulator.Tests.Api;

/// <summary>Attacks by a client: too many, too far, too early, too late, cut off.</summary>
public sealed class AttackTests
{
    private static readonly float[] _odd =
        [float.NaN, float.PositiveInfinity, float.NegativeInfinity, float.MaxValue, float.MinValue, 1e9f, -1e-40f];

    [Fact]
    public void Enormous_numbers_of_units_are_made_only_as_far_as_there_is_room()
    {
        var game = Game.Played();
        var create = new RequestDebug();
        for (var i = 0; i < 60; i++)
        {
            create.Debug.Add(Create(i % 2 == 0 ? 48u : 54u, uint.MaxValue, 20 + (2 * i), 60));
            create.Debug.Add(Create(18, uint.MaxValue, 40, 20 + (2 * i)));
        }

        Assert.Empty(game.Handle(new Request { Debug = create }).Error);
        Assert.Empty(game.Step().Error);
        Assert.InRange(game.Match!.World.Units.Count, 1000, 4000);
        game.Step(3);
        WorldRules.Assert(game.Match!.World, given: true);
        Assert.True(game.Observe().Observation.Observation.RawData.Units.Count > 1000);
        var names = Enumerable.Range(0, 300).Select(_ => Create(uint.MaxValue, 1, 0, 0)).ToArray();
        Assert.Empty(game.Debug(names).Error);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Invalid_or_far_places_break_nothing(bool crop)
    {
        var join = Game.JoinAs(Race.Terran);
        join.Options.RawCropToPlayableArea = crop;
        var game = Game.Joined(Game.CreateForOne(), join);
        var own = game.Match!.World.Units.First(u => u.Owner == 1 && u.Type.Id == 45).Tag;
        var hall = game.Match!.World.Units.First(u => u.Owner == 1 && u.Type.Id == 18).Tag;
        foreach (var x in _odd)
        {
            foreach (var y in _odd.Append(50))
            {
                foreach (var (ability, unit) in new[] { (16, own), (23, own), (318, own), (319, own), (3673, hall) })
                {
                    var command = new ActionRawUnitCommand
                    {
                        AbilityId = ability,
                        UnitTags = { unit },
                        TargetWorldSpacePos = Game.At(x, y),
                        QueueCommand = true,
                    };
                    var raw = new ActionRaw { UnitCommand = command };
                    Assert.Single(game.Act(new SC2APIProtocol.Action { ActionRaw = raw }).Result);
                }

                var look = new ActionRawCameraMove { CenterWorldSpace = new Point { X = x, Y = y, Z = x } };
                game.Act(new SC2APIProtocol.Action { ActionRaw = new ActionRaw { CameraMove = look } });
                game.Debug(Create(48, 3, x, y));
                var query = new RequestQuery();
                query.Pathing.Add(new RequestQueryPathing { StartPos = Game.At(x, y), EndPos = Game.At(y, x) });
                query.Pathing.Add(new RequestQueryPathing { UnitTag = own, EndPos = Game.At(y, x) });
                query.Placements.Add(new RequestQueryBuildingPlacement { AbilityId = 319, TargetPos = Game.At(x, y) });
                Assert.NotNull(game.Handle(new Request { Query = query }).Query);
                Assert.Empty(game.Step().Error);
                WorldRules.Assert(game.Match!.World, given: true);
            }
        }

        var camera = game.Observe().Observation.Observation.RawData.Player.Camera;
        Assert.True(float.IsFinite(camera.X) && float.IsFinite(camera.Y));
    }

    [Fact]
    public void Actions_come_back_with_the_places_that_were_sent_cropped_or_not()
    {
        var join = Game.JoinAs(Race.Terran);
        join.Options.RawCropToPlayableArea = true;
        var game = Game.Joined(Game.CreateForOne(), join);
        var info = game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo.StartRaw;
        Assert.Equal((0, 0), (info.PlayableArea.P0.X, info.PlayableArea.P0.Y));
        Assert.Equal((info.PlayableArea.P1.X, info.PlayableArea.P1.Y), (info.MapSize.X, info.MapSize.Y));
        var raw = game.Observe().Observation.Observation.RawData;
        Assert.Equal((info.MapSize.X, info.MapSize.Y), (raw.MapState.Creep.Size.X, raw.MapState.Creep.Size.Y));
        var worker = raw.Units.First(u => u.UnitType == 45);
        var hall = raw.Units.First(u => u.UnitType == 18);
        var to = Game.At(hall.Pos.X + 5.5f, hall.Pos.Y + 5.5f);
        var move = new ActionRawUnitCommand { AbilityId = 16, UnitTags = { worker.Tag }, TargetWorldSpacePos = to };
        var look = new ActionRawCameraMove { CenterWorldSpace = new Point { X = to.X, Y = to.Y } };
        game.Act(
            new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = move } },
            new SC2APIProtocol.Action { ActionRaw = new ActionRaw { CameraMove = look } });
        game.Step();
        var seen = game.Observe().Observation;
        Assert.Equal(to, seen.Actions[0].ActionRaw.UnitCommand.TargetWorldSpacePos);
        Assert.Equal(look.CenterWorldSpace, seen.Actions[1].ActionRaw.CameraMove.CenterWorldSpace);
        var order = seen.Observation.RawData.Units.Single(u => u.Tag == worker.Tag).Orders[0];
        Assert.Equal((to.X, to.Y), (order.TargetWorldSpacePos.X, order.TargetWorldSpacePos.Y));
        Assert.Equal((to.X, to.Y), (seen.Observation.RawData.Player.Camera.X, seen.Observation.RawData.Player.Camera.Y));
        game.Debug(Create(54, 1, to.X, to.Y));
        game.Step();
        var made = game.Observe().Observation.Observation.RawData.Units.Single(u => u.UnitType == 54);
        Assert.Equal((to.X, to.Y), (made.Pos.X, made.Pos.Y));
    }

    [Fact]
    public void A_replay_cut_off_anywhere_is_refused_by_name()
    {
        var file = ReplayFile.Of(PlayedMatch(), new GameVersion(0, "")).ToBytes();
        for (var length = 0; length < file.Length; length++)
        {
            var error = Assert.Throws<FormatException>(() => ReplayFile.Read(file.AsSpan(0, length), "cut.SC2Replay"));
            Assert.StartsWith("cut.SC2Replay", error.Message);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_forged_replay_is_refused_or_plays(int seed)
    {
        var random = new Random(seed);
        var file = ReplayFile.Of(PlayedMatch(), new GameVersion(0, "")).ToBytes();
        var played = 0;
        for (var i = 0; i < 400; i++)
        {
            // An attacker can also compute a new hash.
            var forged = file.ToArray();
            for (var changes = random.Next(1, 4); changes > 0; changes--)
            {
                forged[random.Next(48, forged.Length)] = (byte)random.Next(256);
            }

            SHA256.HashData(forged.AsSpan(48), forged.AsSpan(16));
            var game = new SimulatedGame(new SimulatorOptions());
            var start = new RequestStartReplay { ReplayData = ByteString.CopyFrom(forged), Options = Game.Options };
            var info = new RequestReplayInfo { ReplayData = start.ReplayData };
            Assert.NotNull(game.Handle(new Request { ReplayInfo = info }).ReplayInfo);
            var answer = game.Handle(new Request { StartReplay = start });
            if (answer.StartReplay.HasError)
            {
                Assert.DoesNotContain('\n', answer.StartReplay.ErrorDetails);
                Assert.Equal(Status.Launched, answer.Status);
                continue;
            }

            game.Step(40);
            Assert.Equal(Status.InReplay | Status.Ended, game.Observe().Status | Status.InReplay | Status.Ended);
            WorldRules.Assert(game.Match!.World, given: true);
            played++;
        }

        Assert.True(played > 20);
    }

    [Fact]
    public void A_load_without_a_save_is_refused_and_one_of_another_game_is_too()
    {
        var game = Game.Played();
        var load = new Request { QuickLoad = new RequestQuickLoad() };
        Assert.Equal("Nothing was saved: quick_save first", Assert.Single(game.Handle(load).Error));
        Assert.Empty(game.Handle(new Request { QuickSave = new RequestQuickSave() }).Error);
        game.Handle(new Request { LeaveGame = new RequestLeaveGame() });
        Assert.NotEmpty(game.Handle(load).Error);
        game.Handle(new Request { CreateGame = Game.CreateForOne() });
        game.Handle(new Request { JoinGame = Game.JoinAs(Race.Zerg) });
        Assert.Equal("Nothing was saved: quick_save first", Assert.Single(game.Handle(load).Error));
    }

    [Fact]
    public void After_a_match_in_real_time_an_observation_waits_for_no_loop_and_a_restart_begins_anew()
    {
        var clock = new ManualClock();
        var game = Game.Joined(
            Game.CreateForOne(realtime: true), Game.JoinAs(Race.Terran), new SimulatorOptions { Clock = clock });
        clock.Now += TimeSpan.FromSeconds(2);
        game.Debug(Game.End(DebugEndGame.Types.EndResult.Surrender));
        clock.Now += TimeSpan.FromSeconds(1);
        var far = new Request { Observation = new RequestObservation { GameLoop = uint.MaxValue } };
        Assert.Equal(Status.Ended, game.Handle(far).Status);
        var last = game.Handle(far).Observation;
        Assert.Equal(2, last.PlayerResult.Count);
        clock.Now += TimeSpan.FromHours(1);
        Assert.Equal(last.Observation.GameLoop, game.Handle(far).Observation.Observation.GameLoop);
        var again = game.Handle(new Request { RestartGame = new RequestRestartGame() });
        Assert.Equal(Status.InGame, again.Status);
        Assert.True(game.Observe().Observation.Observation.GameLoop < 3);
        clock.Now += TimeSpan.FromSeconds(1);
        var seen = game.Observe().Observation;
        Assert.InRange(seen.Observation.GameLoop, 21u, 24u);
        Assert.Empty(seen.PlayerResult);
    }

    [Fact]
    public void A_restarted_match_is_the_same_match()
    {
        var game = Game.Played(seed: 5);
        var begun = game.Observe();
        game.Act(Game.Say("to be forgotten"));
        game.Step(50);
        Assert.NotNull(game.Handle(new Request { RestartGame = new RequestRestartGame() }).RestartGame);
        Assert.Equal(begun, game.Observe());
    }

    [Fact]
    public void Events_before_an_observation_are_reported_once_and_to_each_viewer_separately()
    {
        var game = Game.Played();
        game.Step(20);
        game.Observe();
        var worker = game.Match!.World.Units.First(u => u.Owner == 1 && u.Type.Id == 45);
        game.Debug(new DebugCommand { KillUnit = new DebugKillUnit { Tag = { worker.Tag } } });
        game.Act(Game.Say("hello"));
        game.Step(5);
        game.Step(5);
        var seen = game.Observe().Observation;
        Assert.Equal([worker.Tag], seen.Observation.RawData.Event.DeadUnits);
        Assert.Single(seen.Chat);
        var next = game.Observe().Observation;
        Assert.Null(next.Observation.RawData.Event);
        Assert.Empty(next.Chat);
    }

    private static DebugCommand Create(uint type, uint count, float x, float y) => new()
    {
        CreateUnit = new DebugCreateUnit { UnitType = type, Owner = 1, Quantity = count, Pos = Game.At(x, y) },
    };

    private static Match PlayedMatch()
    {
        var game = Game.Played(seed: 3);
        game.Act(Game.Say("hello"));
        var worker = game.Match!.World.Units.First(u => u.Owner == 1 && u.Type.Id == 45);
        for (var i = 0; i < 5; i++)
        {
            var move = new ActionRawUnitCommand
            {
                AbilityId = 16,
                UnitTags = { worker.Tag },
                TargetWorldSpacePos = Game.At(60 + i, 60),
            };
            game.Act(new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = move } });
            game.Debug(Create(48, 2, 60, 60 + i));
            game.Step(4);
        }

        return game.Match!;
    }
}
