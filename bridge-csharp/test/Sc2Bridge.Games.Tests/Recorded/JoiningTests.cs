using CreateError = SC2APIProtocol.ResponseCreateGame.Types.Error;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>How clients join a recorded match, and which perspective they get.</summary>
public sealed class JoiningTests : IDisposable
{
    private readonly RecordingBuilder _builder = new();

    public void Dispose() => _builder.Dispose();

    [Theory]
    [InlineData("Cinder Fortress LE")]
    [InlineData("Ladder2019/CinderFortressLE.SC2Map")]
    [InlineData("cinderfortressle")]
    public void A_game_is_created_on_the_recordings_map_however_it_is_written(string map)
    {
        using var game = Of(1);
        Assert.False(Create(game, PlayedGame.Create(map: map)).HasError);
        Assert.Equal(Status.InitGame, game.Status);
    }

    [Fact]
    public void A_game_on_another_map_is_refused_with_the_recordings()
    {
        using var game = Of(1);
        var wrong = Create(game, PlayedGame.Create(map: "Salt Basin LE"));
        Assert.Equal(CreateError.InvalidMapPath, wrong.Error);
        Assert.Equal(
            "Map 'Salt Basin LE' not found. The recording was played on: Cinder Fortress LE (CinderFortressLE.SC2Map).",
            wrong.ErrorDetails);
        Assert.Equal(CreateError.MissingMap, Create(game, new RequestCreateGame()).Error);
        var alone = new RequestCreateGame { BattlenetMapName = "Cinder Fortress LE" };
        Assert.Equal(CreateError.MissingPlayerSetup, Create(game, alone).Error);
        Assert.Equal(["CinderFortressLE.SC2Map"],
            game.Ask(new Request { AvailableMaps = new RequestAvailableMaps() }).AvailableMaps.LocalMapPaths);
    }

    [Theory]
    [InlineData(Race.Terran, 1)]
    [InlineData(Race.Zerg, 2)]
    [InlineData(Race.Random, 1)]
    [InlineData(Race.NoRace, 1)]
    public void A_participant_has_the_eyes_of_the_first_player_of_its_race(Race race, uint player)
    {
        using var game = Of(0, 1, 2);
        Create(game, PlayedGame.Create());
        Assert.Equal(player, Join(game, PlayedGame.Participant(race)).PlayerId);
        Assert.Equal(player * 100, game.Observe().Observation.Observation.GameLoop);
        Assert.Equal([player], game.Begun);
    }

    [Fact]
    public void A_participant_of_a_race_that_nobody_played_is_told_who_did()
    {
        using var game = Of(0, 1);
        Create(game, PlayedGame.Create());
        var refused = Join(game, PlayedGame.Participant(Race.Protoss));
        Assert.Equal(JoinError.FeatureUnsupported, refused.Error);
        Assert.Equal(
            "No recorded player is Protoss: the recording has the view of an observer of all (0), player 1 (Terran).",
            refused.ErrorDetails);
        Assert.Equal(Status.InitGame, game.Status);
        Assert.False(Join(game, PlayedGame.Participant(Race.Terran)).HasError);
    }

    [Fact]
    public void An_observers_recording_has_no_player_to_play()
    {
        using var game = Of(0);
        Create(game, PlayedGame.Create());
        var refused = Join(game, PlayedGame.Participant(Race.Terran));
        Assert.Equal(JoinError.FeatureUnsupported, refused.Error);
        Assert.Contains("--observe", refused.ErrorDetails);
    }

    [Fact]
    public void An_observer_has_the_eyes_that_it_asks_for_where_they_were_recorded()
    {
        using var game = Of(0, 2);
        Create(game, PlayedGame.Create(participants: 0));
        var refused = Join(game, PlayedGame.Observer(1));
        Assert.Equal(JoinError.InvalidObservedPlayerId, refused.Error);
        Assert.Contains("player 2", refused.ErrorDetails);
        Assert.Equal(JoinError.InvalidObservedPlayerId, Join(game, PlayedGame.Observer(3)).Error);
        Assert.Equal(2u, Join(game, PlayedGame.Observer(2)).PlayerId);
        Assert.Equal(200u, game.Observe().Observation.Observation.GameLoop);
        Assert.NotEmpty(game.Ask(new Request { Action = new RequestAction() }).Error);
    }

    [Fact]
    public void Two_processes_play_a_player_each()
    {
        using var host = Of(1, 2);
        using var guest = Of(1, 2);
        using var alone = Of(1);
        Create(host, PlayedGame.Create(participants: 2));
        Assert.Equal(JoinError.MissingPorts, Join(host, PlayedGame.Participant(Race.Random)).Error);
        Assert.Equal(1u, Join(host, WithPorts(Race.Random)).PlayerId);
        var lost = guest.Ask(new Request { JoinGame = PlayedGame.Participant(Race.Random) });
        Assert.Contains("server_ports", Assert.Single(lost.Error));
        Assert.Equal(2u, Join(guest, WithPorts(Race.Random)).PlayerId);
        var refused = Join(alone, WithPorts(Race.Terran));
        Assert.Equal(JoinError.GameFull, refused.Error);
        Assert.Contains("one player's view", refused.ErrorDetails);
    }

    [Fact]
    public void Interfaces_that_were_not_recorded_are_refused_and_other_options_said()
    {
        using var game = Of(1);
        Create(game, PlayedGame.Create());
        var join = PlayedGame.Participant(Race.Terran);
        join.Options.FeatureLayer = new SpatialCameraSetup();
        Assert.Equal(JoinError.FeatureUnsupported, Join(game, join).Error);
        join.Options = null;
        Assert.Equal(JoinError.MissingOptions, Join(game, join).Error);
        join.Options = new InterfaceOptions { Raw = true, ShowCloaked = true };
        Assert.False(Join(game, join).HasError);
        Assert.Equal(
            "the recording was made with other interface options than the client requests: score, show_cloaked",
            Assert.Single(game.Said));
    }

    [Fact]
    public void The_games_own_data_is_sent_again()
    {
        using var game = Of(1);
        Assert.Equal("5.0.14.recorded", game.Ask(new Request { Ping = new RequestPing() }).Ping.GameVersion);
        Create(game, PlayedGame.Create());
        Join(game, PlayedGame.Participant(Race.Terran));
        var info = game.Ask(new Request { GameInfo = new RequestGameInfo() }).GameInfo;
        Assert.Equal(RecordingBuilder.SimpleInfo(), info);
        _builder.Description.Data.Units.Add(new UnitTypeData { UnitId = 4 });
        _builder.Description.Data.Buffs.Add(new BuffData { BuffId = 5 });
        using var other = Of(1);
        Create(other, PlayedGame.Create());
        Join(other, PlayedGame.Participant(Race.Terran));
        var asked = new RequestData { UnitTypeId = true, UpgradeId = true };
        var units = new ResponseData { Units = { new UnitTypeData { UnitId = 4 } } };
        Assert.Equal(units, other.Ask(new Request { Data = asked }).Data);
    }

    private static ResponseCreateGame Create(PlayedGame game, RequestCreateGame create) =>
        game.Ask(new Request { CreateGame = create }).CreateGame;

    private static ResponseJoinGame Join(PlayedGame game, RequestJoinGame join) =>
        game.Ask(new Request { JoinGame = join }).JoinGame;

    private static RequestJoinGame WithPorts(Race race)
    {
        var join = PlayedGame.Participant(race);
        join.ServerPorts = new PortSet { GamePort = 5002, BasePort = 5003 };
        join.ClientPorts.Add(new PortSet { GamePort = 5004, BasePort = 5005 });
        return join;
    }

    // The game loops of each perspective are different, so they identify it.
    private PlayedGame Of(params uint[] perspectives)
    {
        _builder.Description.Perspectives.Clear();
        _builder.Description.Perspectives.Add(perspectives);
        return new PlayedGame(_builder.Write(
            from loop in Enumerable.Range(0, 5)
            from id in perspectives
            select (id, RecordingBuilder.Bare((id * 100) + (uint)loop))));
    }
}
