using Sc2Bridge.Simulator.Api;
using CreateError = SC2APIProtocol.ResponseCreateGame.Types.Error;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.Simulator.Tests.Api;

public sealed class StartingTests
{
    [Theory]
    [InlineData(CreateError.MissingMap, "", 2)]
    [InlineData(CreateError.InvalidMapPath, "Nowhere LE", 2)]
    [InlineData(CreateError.MissingPlayerSetup, Game.Map, 0)]
    [InlineData(CreateError.InvalidPlayerSetup, Game.Map, -1)]
    public void A_game_that_cannot_be_is_refused_by_name(CreateError error, string map, int players)
    {
        var create = new RequestCreateGame { LocalMap = new LocalMap { MapPath = map } };
        for (var i = 0; i < Math.Abs(players); i++)
        {
            create.PlayerSetup.Add(new PlayerSetup { Type = players < 0 ? PlayerType.Observer : PlayerType.Computer });
        }

        var answer = new SimulatedGame(new SimulatorOptions()).Handle(new Request { CreateGame = create });
        Assert.Equal(error, answer.CreateGame.Error);
        Assert.NotEmpty(answer.CreateGame.ErrorDetails);
        Assert.Equal(Status.Launched, answer.Status);
    }

    [Fact]
    public void A_map_that_is_not_there_is_answered_with_those_that_are()
    {
        var create = Game.Create();
        create.BattlenetMapName = "Nowhere LE";
        var answer = new SimulatedGame(new SimulatorOptions()).Handle(new Request { CreateGame = create }).CreateGame;
        Assert.Equal(CreateError.InvalidMapName, answer.Error);
        Assert.Contains(Game.Map, answer.ErrorDetails);
    }

    public static TheoryData<JoinError, int, RequestJoinGame> Joins => new()
    {
        { JoinError.MissingParticipation, 1, new RequestJoinGame { Options = Game.Options } },
        { JoinError.MissingOptions, 1, new RequestJoinGame { Race = Race.Zerg } },
        { JoinError.FeatureUnsupported, 1, new() { Race = Race.Zerg, Options = new() { FeatureLayer = new() } } },
        { JoinError.FeatureUnsupported, 1, new() { Race = Race.Zerg, Options = new() { Raw = true, Render = new() } } },
        { JoinError.FeatureUnsupported, 1, Game.Join() },
        { JoinError.InvalidObservedPlayerId, 0, Game.Join(3) },
        { JoinError.GameFull, 0, Game.JoinAs(Race.Terran) },
        { JoinError.MissingPorts, 2, Game.JoinAs(Race.Terran) },
    };

    [Theory]
    [MemberData(nameof(Joins))]
    public void A_join_that_cannot_be_is_refused_by_name(JoinError error, int participants, RequestJoinGame join)
    {
        var game = new SimulatedGame(new SimulatorOptions());
        game.Handle(new Request { CreateGame = Game.CreateForOne(participants: participants) });
        var answer = game.Handle(new Request { JoinGame = join });
        Assert.Equal(error, answer.JoinGame.Error);
        Assert.NotEmpty(answer.JoinGame.ErrorDetails);
        Assert.Equal(Status.InitGame, answer.Status);
    }

    /// <summary>PySC2's observer_test.py: "cheap observations".</summary>
    [Fact]
    public void An_empty_choice_of_interfaces_gives_observations_with_neither()
    {
        var game = Game.Joined(Game.Create(), new RequestJoinGame { ObservedPlayerId = 0, Options = new() });
        game.Step(8);
        var observation = game.Observe().Observation.Observation;
        Assert.Equal((8u, null, null), (observation.GameLoop, observation.RawData, observation.Score));
        Assert.Null(game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo.StartRaw);
    }

    /// <summary>PySC2's protocol_error_test.py: joining without a game gives a plain error, not an answer with a typed error.</summary>
    [Fact]
    public void Without_a_game_a_join_is_refused()
    {
        var refused = new SimulatedGame(new SimulatorOptions()).Handle(new Request { JoinGame = new RequestJoinGame() });
        Assert.Contains("create_game", Assert.Single(refused.Error));
        Assert.Equal((Response.ResponseOneofCase.None, Status.Launched), (refused.ResponseCase, refused.Status));
    }

    [Fact]
    public void A_participant_is_told_its_own_race_and_the_other_start()
    {
        var game = Game.Joined(Game.CreateForOne(), Game.JoinAs(Race.Random, "me"));
        var info = game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo;
        Assert.Equal(PlayerType.Participant, info.PlayerInfo[0].Type);
        Assert.Equal((Race.Random, "me"), (info.PlayerInfo[0].RaceRequested, info.PlayerInfo[0].PlayerName));
        Assert.True(info.PlayerInfo[0].HasRaceActual && info.PlayerInfo[0].RaceActual != Race.Random);
        Assert.Equal(PlayerType.Computer, info.PlayerInfo[1].Type);
        Assert.Equal(Difficulty.VeryEasy, info.PlayerInfo[1].Difficulty);
        Assert.False(info.PlayerInfo[1].HasRaceActual);
        var own = game.Observe().Observation.Observation.RawData.Units.First(u => u.Alliance == Alliance.Self);
        var others = info.StartRaw.StartLocations;
        Assert.All(others, s => Assert.True(Math.Abs(s.X - own.Pos.X) + Math.Abs(s.Y - own.Pos.Y) > 20));
        Assert.Equal(info, game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo);
        Assert.InRange(info.CalculateSize(), 20_000, 80 * 1024);
    }

    [Fact]
    public void A_participant_alone_wins_the_moment_it_starts()
    {
        var create = Game.CreateForOne();
        create.PlayerSetup.RemoveAt(1);
        var game = Game.Joined(create, Game.JoinAs(Race.Protoss));
        Assert.Equal(Status.Ended, game.Step().Status);
    }

    [Fact]
    public void A_game_begins_again_as_it_began()
    {
        var game = Game.Played(seed: 3);
        var first = game.Observe().Observation;
        game.Act(Game.Say("again"));
        game.Step(40);
        Assert.Equal(Status.InGame, game.Handle(new Request { RestartGame = new RequestRestartGame() }).Status);
        Assert.Equal(first, game.Observe().Observation);
    }

    [Fact]
    public void Without_a_seed_every_game_is_given_one()
    {
        var seeds = new Queue<uint>([1, 2]);
        var create = Game.CreateForOne();
        create.ClearRandomSeed();
        var game = Game.Joined(create, Game.JoinAs(Race.Random), new SimulatorOptions { ChooseSeed = seeds.Dequeue });
        game.Handle(new Request { RestartGame = new RequestRestartGame() });
        Assert.Empty(seeds);
    }

    [Fact]
    public void Real_time_follows_its_clock_and_an_observation_waits_for_its_loop()
    {
        var clock = new ManualClock();
        var options = new SimulatorOptions { Clock = clock };
        var game = Game.Joined(Game.CreateForOne(realtime: true), Game.JoinAs(Race.Terran), options);
        Assert.Equal(0u, game.Observe().Observation.Observation.GameLoop);
        var observe = new Request { Observation = new RequestObservation { GameLoop = 224 } };
        game.Begin(observe, Ct);
        var bytes = new System.Buffers.ArrayBufferWriter<byte>();
        Assert.False(game.TryFinish(bytes));
        Assert.Equal(10, game.WakeIn!.Value.TotalSeconds, 3);
        clock.Now += TimeSpan.FromSeconds(9.9);
        Assert.False(game.TryFinish(bytes));
        clock.Now += TimeSpan.FromSeconds(0.1);
        Assert.True(game.TryFinish(bytes));
        Assert.Equal(224u, Response.Parser.ParseFrom(bytes.WrittenSpan).Observation.Observation.GameLoop);
    }

    [Fact]
    public void Everything_counts_from_the_playable_areas_corner_where_a_client_asks_so()
    {
        var join = Game.JoinAs(Race.Terran);
        join.Options.RawCropToPlayableArea = true;
        var (whole, cropped) = (Game.Played(), Game.Joined(Game.CreateForOne(), join));
        var (all, part) = (Info(whole), Info(cropped));
        var (area, corner) = (all.StartRaw.PlayableArea, part.StartRaw.PlayableArea.P0);
        Assert.Equal((0, 0), (corner.X, corner.Y));
        Assert.Equal(area.P1.X - area.P0.X, part.StartRaw.MapSize.X);
        Assert.Equal(all.StartRaw.StartLocations[0].X - area.P0.X, part.StartRaw.StartLocations[0].X);

        static ResponseGameInfo Info(SimulatedGame game) =>
            game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo;
    }
}
