using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Api;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Simulator.Tests;

public sealed class ApiTests
{
    private static readonly Dictionary<Status, Kind[]> Allowed = new()
    {
        [Status.Launched] =
            [Kind.Ping, Kind.AvailableMaps, Kind.ReplayInfo, Kind.CreateGame, Kind.StartReplay, Kind.Quit],
        [Status.InitGame] = [Kind.Ping, Kind.AvailableMaps, Kind.ReplayInfo, Kind.JoinGame, Kind.LeaveGame, Kind.Quit],
        [Status.InGame] =
        [
            Kind.Ping, Kind.AvailableMaps, Kind.ReplayInfo, Kind.RestartGame, Kind.LeaveGame, Kind.Observation,
            Kind.GameInfo, Kind.Data, Kind.Step, Kind.Query, Kind.ObsAction, Kind.MapCommand, Kind.Quit,
        ],
        [Status.Ended] =
        [
            Kind.Ping, Kind.AvailableMaps, Kind.ReplayInfo, Kind.RestartGame, Kind.LeaveGame, Kind.Observation,
            Kind.GameInfo, Kind.Data, Kind.CreateGame, Kind.StartReplay, Kind.JoinGame, Kind.Quit,
        ],
    };

    public static TheoryData<Status> States => [.. Allowed.Keys];

    [Theory]
    [MemberData(nameof(States))]
    public void Every_request_in_every_state_is_answered_or_refused(Status state)
    {
        foreach (var field in Request.Descriptor.Oneofs[0].Fields)
        {
            var game = In(state);
            var request = new Request { Id = 7 };
            field.Accessor.SetValue(request, field.MessageType.Parser.ParseFrom(ByteString.Empty));
            var response = game.Handle(request);
            Assert.Equal(7u, response.Id);
            var answered = response.ResponseCase != Response.ResponseOneofCase.None;
            Assert.True(answered == Allowed[state].Contains(request.RequestCase),
                $"{request.RequestCase} in {state}: {response}");
            Assert.Equal(!answered, response.Error.Count > 0);
            Assert.Equal(request.RequestCase != Kind.Quit, response.HasStatus);
            if (!answered)
            {
                Assert.Equal(state, response.Status);
            }
        }
    }

    [Fact]
    public void It_says_that_it_is_simulated()
    {
        Assert.Contains(
            "simulated", In(Status.Launched).Handle(new Request { Ping = new RequestPing() }).Ping.GameVersion);
    }

    [Fact]
    public void Game_info_and_data_are_shaped_as_the_games()
    {
        var game = In(Status.InGame);
        var info = game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo;
        Assert.InRange(info.CalculateSize(), 29_000, 63 * 1024);
        Assert.Equal("Cinder Fortress LE", info.MapName);
        Assert.Equal(info.StartRaw.MapSize.X * info.StartRaw.MapSize.Y, info.StartRaw.TerrainHeight.Data.Length);
        Assert.Equal(2, info.StartRaw.StartLocations.Count);
        var data = game.Handle(
            new Request { Data = new RequestData { UnitTypeId = true, AbilityId = true, UpgradeId = true } }).Data;
        Assert.Contains(data.Units, u => u.UnitId == 48 && u.Name == "Marine" && u.MineralCost == 50);
        Assert.NotEmpty(data.Abilities);
        Assert.NotEmpty(data.Upgrades);
    }

    [Fact]
    public void Pathing_is_answered_between_the_starts_and_other_queries_are_refused()
    {
        var game = In(Status.InGame);
        var starts = game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo.StartRaw.StartLocations;
        var query = new RequestQuery();
        query.Pathing.Add(new RequestQueryPathing { StartPos = starts[0], EndPos = starts[1] });
        query.Pathing.Add(
            new RequestQueryPathing { StartPos = starts[0], EndPos = new Point2D { X = 0, Y = float.NaN } });
        var answer = game.Handle(new Request { Query = query }).Query;
        Assert.InRange(answer.Pathing[0].Distance, 100, 400);
        Assert.Equal(0, answer.Pathing[1].Distance);
        query.Placements.Add(new RequestQueryBuildingPlacement());
        Assert.Single(game.Handle(new Request { Query = query }).Error);
    }

    [Fact]
    public void Fog_hides_the_enemy_from_a_player_and_nothing_from_an_observer_of_all()
    {
        var all = Game.Joined(Game.Create()).Observe().Observation.Observation.RawData.Units;
        var fogged = Game.Joined(Game.Create(), observed: 1).Observe().Observation.Observation.RawData.Units;
        Assert.Contains(all, u => u.Owner == 2);
        Assert.DoesNotContain(fogged, u => u.Owner == 2);
        Assert.Contains(fogged, u => u.DisplayType == DisplayType.Snapshot && u.Alliance == Alliance.Neutral);
        Assert.All(fogged.Where(u => u.Owner == 1), u => Assert.InRange(u.CalculateSize(), 110, 200));
    }

    [Fact]
    public void Wrong_maps_and_players_are_told_with_typed_errors()
    {
        var create = Game.Create();
        create.LocalMap.MapPath = "Nowhere LE";
        var answer = In(Status.Launched).Handle(new Request { CreateGame = create });
        Assert.Equal(ResponseCreateGame.Types.Error.InvalidMapPath, answer.CreateGame.Error);
        Assert.Contains("Cinder Fortress LE", answer.CreateGame.ErrorDetails);
        Assert.Equal(Status.Launched, answer.Status);
        var join = In(Status.InitGame).Handle(new Request { JoinGame = Game.Join(observed: 3) });
        Assert.Equal(ResponseJoinGame.Types.Error.InvalidObservedPlayerId, join.JoinGame.Error);
    }

    [Fact]
    public void Real_time_follows_its_clock_and_refuses_steps()
    {
        var clock = new Clock();
        var game = Game.Joined(Game.Create(realtime: true), options: new SimulatorOptions { Clock = clock });
        Assert.Single(game.Step(1).Error);
        Assert.Equal(0u, game.Observe().Observation.Observation.GameLoop);
        var request = new Request { Observation = new RequestObservation { GameLoop = 224 } };
        Assert.Equal(10, game.Wait(request).TotalSeconds, 3);
        clock.Now += TimeSpan.FromSeconds(10);
        Assert.Equal(TimeSpan.Zero, game.Wait(request));
        Assert.Equal(224u, game.Handle(request).Observation.Observation.GameLoop);
    }

    [Fact]
    public void No_sequence_of_requests_breaks_the_world()
    {
        var random = new Random(4);
        var game = new GameApi(new SimulatorOptions());
        for (var i = 0; i < 3000; i++)
        {
            var fields = Request.Descriptor.Oneofs[0].Fields;
            var request = new Request { Id = (uint)i };
            var field = fields[random.Next(fields.Count)];
            field.Accessor.SetValue(request, field.MessageType.Parser.ParseFrom(ByteString.Empty));
            request = random.Next(6) switch
            {
                0 => new Request { CreateGame = Game.Create((uint)i) },
                1 => new Request { JoinGame = Game.Join((uint)random.Next(4)) },
                2 => new Request { Step = new RequestStep { Count = (uint)random.Next(300) } },
                _ => request.RequestCase == Kind.Quit ? new Request { Ping = new RequestPing() } : request,
            };
            Assert.True(game.Handle(request).HasStatus);
            if (game.World is { } world)
            {
                Assert.All(world.Players, p =>
                    Assert.True(p.Minerals >= 0 && p.Vespene >= 0 && p.FoodCap <= 200 && p.HalfFoodUsed >= 0));
                var (right, top) = (world.Map.Width * 4096, world.Map.Height * 4096);
                Assert.All(world.Units[..world.SlotCount], u =>
                    Assert.True(u.X >= 0 && u.Y >= 0 && u.X < right && u.Y < top));
            }
        }
    }

    [Theory]
    [InlineData("Cinder Fortress LE")]
    [InlineData("CinderFortressLE.SC2Map")]
    [InlineData("Ladder2019/cinderfortressle.SC2Map")]
    [InlineData("Cinder Fortress")]
    public void Maps_are_found_as_people_write_them(string name) =>
        Assert.Equal("Cinder Fortress LE", World.MapDescription.Find(name)?.Name);

    private static GameApi In(Status state)
    {
        var game = new GameApi(new SimulatorOptions { LongestMatch = 100 });
        if (state != Status.Launched)
        {
            game.Handle(new Request { CreateGame = Game.Create() });
        }

        if (state is Status.InGame or Status.Ended)
        {
            game.Handle(new Request { JoinGame = Game.Join() });
        }

        if (state == Status.Ended)
        {
            game.Step(100);
        }

        Assert.Equal(state, game.Status);
        return game;
    }

    private sealed class Clock : TimeProvider
    {
        public TimeSpan Now { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;
    }
}
