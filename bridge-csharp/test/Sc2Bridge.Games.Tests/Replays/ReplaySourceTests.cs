using Sc2Bridge.V1;
using InfoError = SC2APIProtocol.ResponseReplayInfo.Types.Error;
using StartError = SC2APIProtocol.ResponseStartReplay.Types.Error;

namespace Sc2Bridge.Games.Tests.Replays;

/// <summary>A replay in a scripted game.</summary>
public sealed class ReplaySourceTests
{
    private const string File = "some/Match.SC2Replay";
    private static readonly byte[] _bytes = MadeUpReplay.Bytes(75800, null);

    [Fact]
    public async Task It_is_asked_about_started_as_it_is_wanted_and_observed_to_its_end()
    {
        var game = Game();
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        var settings = new ReplaySettings
        {
            Observe = 2,
            DisableFog = true,
            StepSize = 10,
            Interface = new InterfaceOptions { Raw = true, Score = true, ShowCloaked = true },
        };
        await using var source = Source(server, settings);
        await source.StartAsync(Ct);
        Assert.Equal([0u, 10, 20, 30], await LoopsAsync(source));

        var info = game.Sent(request => request.ReplayInfo);
        Assert.Equal(_bytes, info.ReplayData.ToByteArray());
        Assert.True(info.DownloadData);
        var start = game.Sent(request => request.StartReplay);
        Assert.Equal(_bytes, start.ReplayData.ToByteArray());
        Assert.Equal(2, start.ObservedPlayerId);
        Assert.True(start.DisableFog && start.Options.ShowCloaked && start.Options.Raw && !start.Realtime);

        var match = source.Description;
        Assert.Equal(("Match.SC2Replay", 10u, "Cinder Fortress LE"), (match.Replay, match.StepSize, match.MapName));
        Assert.Equal([2u], match.Perspectives);
        Assert.Equal(
            ["1 Participant Terran Mind", "2 Computer Zerg VeryHard"],
            match.Players.Select(one => $"{one.PlayerId} {one.Kind} {one.Race} {one.Name}{one.Difficulty}"));

        // One result is in the last observation, the other in the replay.
        Assert.Equal(
            [(1u, Result.Victory), (2, Result.Defeat)],
            source.End!.Results.Select(result => (result.PlayerId, result.Result)));
        Assert.Equal((EndReason.Finished, 30u, 3ul), (source.End.Reason, source.End.GameLoop, source.End.Step));
    }

    [Fact]
    public async Task In_real_time_the_game_is_waited_for_and_cannot_be_held()
    {
        var game = Game();
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings { Rate = StepRate.GameClock, StepSize = 15 });
        await source.StartAsync(Ct);
        Assert.Null(source.Playback);
        Assert.Equal([0u, 15, 30], await LoopsAsync(source));
        Assert.True(game.Sent(request => request.StartReplay).Realtime);
        Assert.DoesNotContain(game.Requests, request => request.Step is not null);
    }

    [Fact]
    public async Task A_part_of_it_is_gone_to_without_observing_what_is_before()
    {
        var game = Game();
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings { From = 11, To = 19, StepSize = 4 });
        await source.StartAsync(Ct);
        var first = (await source.NextAsync(Ct))!;
        Assert.Equal((3ul, 12u), (first.Header.Step, first.Header.GameLoop));
        Assert.Equal((3ul, 4ul), (first.Jump!.FirstStep, first.Jump.LastStep));
        first.Release();
        Assert.Equal([16u], await LoopsAsync(source));
        Assert.Equal((EndReason.RangeEnd, 16u), (source.End!.Reason, source.End.GameLoop));
    }

    [Fact]
    public async Task It_is_held_stepped_and_moved_on_but_not_back()
    {
        var game = Game();
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings { IsPaused = true });
        await source.StartAsync(Ct);
        Assert.Equal(0u, await LoopAsync(source));
        Assert.True(source.Control(new ControlRequest()).Paused);

        source.Control(new ControlRequest { Step = 2 });
        Assert.Equal(1u, await LoopAsync(source));
        Assert.Equal(2u, await LoopAsync(source));
        var moved = source.Control(new ControlRequest { SeekLoop = 20 });
        Assert.Equal((20ul, 20u, 30u), (moved.Step, moved.GameLoop, moved.LastGameLoop));
        var frame = (await source.NextAsync(Ct))!;
        Assert.Equal((20ul, 20u), (frame.Header.Step, frame.Header.GameLoop));
        Assert.NotNull(frame.Jump);
        frame.Release();

        foreach (var back in new[]
        {
            new ControlRequest { Step = -1 },
            new ControlRequest { SeekLoop = 3 },
            new ControlRequest { SeekStep = 20 },
        })
        {
            var refused = Assert.Throws<RequestRefusedException>(() => source.Control(back));
            Assert.Equal(StatusCode.FailedPrecondition, refused.Code);
            Assert.Contains("record it first (sc2bridge record)", refused.Message, StringComparison.Ordinal);
        }

        var beyond = Assert.Throws<RequestRefusedException>(() => source.Control(new ControlRequest { SeekLoop = 31 }));
        Assert.Contains("choose from 0 to 30", beyond.Message, StringComparison.Ordinal);
        source.Control(new ControlRequest { Rate = 1000 });
        source.Control(new ControlRequest { Pause = false });
        Assert.Equal(Enumerable.Range(21, 10).Select(loop => (uint)loop), await LoopsAsync(source));
    }

    [Fact]
    public async Task One_that_the_game_cannot_tell_of_is_started_all_the_same()
    {
        var game = Game(info: new ResponseReplayInfo { Error = InfoError.ParsingError, ErrorDetails = "no details" });
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings { StepSize = 15 });
        await source.StartAsync(Ct);
        Assert.Equal([0u, 15, 30], await LoopsAsync(source));
    }

    [Theory]
    [InlineData(
        StartError.LaunchError, "LaunchError: map dependencies", "(its map is Some Map LE (maps/SomeMap.SC2Map))",
        "--map")]
    [InlineData(StartError.InvalidMapData, "map dependencies", "Some Map LE", "--map")]
    [InlineData(StartError.InvalidReplayData, "cannot read the replay some/Match.SC2Replay", "Is the file complete?")]
    [InlineData(StartError.InvalidObservedPlayerId, "There is no player 0 in the replay")]
    [InlineData(StartError.MissingOptions, "does not start the replay some/Match.SC2Replay (MissingOptions")]
    public async Task One_that_the_game_does_not_start_is_a_line_that_says_what_to_do(
        StartError error, params string[] says)
    {
        var game = Game(start: new ResponseStartReplay { Error = error, ErrorDetails = "map dependencies" });
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings());
        var failure = await Assert.ThrowsAnyAsync<GameException>(() => source.StartAsync(Ct));
        Assert.All(says, words => Assert.Contains(words, failure.Message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(InfoError.InvalidReplayData, "(InvalidReplayData: broken)")]
    [InlineData(InfoError.MissingReplay, "cannot read the replay some/Match.SC2Replay")]
    public async Task One_that_the_game_cannot_read_is_not_started(InfoError error, string says)
    {
        var game = Game(info: new ResponseReplayInfo { Error = error, ErrorDetails = "broken" });
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings());
        var failure = await Assert.ThrowsAsync<GameException>(() => source.StartAsync(Ct));
        Assert.Contains(says, failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(game.Requests, request => request.StartReplay is not null);
    }

    [Fact]
    public async Task Players_that_it_does_not_have_cannot_be_observed()
    {
        var game = Game();
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings { Observe = 3 });
        var failure = await Assert.ThrowsAsync<NoSuchPlayerException>(() => source.StartAsync(Ct));
        Assert.Contains("no player 3", failure.Message, StringComparison.Ordinal);
        Assert.Contains("observe 1 or 2, or 0", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_that_ends_at_once_is_a_failure()
    {
        var game = Game(endLoop: 0);
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings());
        await source.StartAsync(Ct);
        var failure = await Assert.ThrowsAsync<GameException>(() => LoopsAsync(source));
        Assert.Contains("ended at once, at game loop 0 of 30", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_without_a_loop_is_named()
    {
        var game = Game(info: new ResponseReplayInfo { MapName = "Some Map LE", GameDurationLoops = 0 });
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings());
        var failure = await Assert.ThrowsAsync<GameException>(() => source.StartAsync(Ct));
        Assert.Contains("nothing in the replay", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_attached_game_of_another_version_is_named_where_it_cannot()
    {
        var info = Info();
        (info.BaseBuild, info.DataVersion, info.GameVersion) = (75800, "ABC", "4.10.1");
        var game = Game(
            info, new ResponseStartReplay { Error = StartError.LaunchError, ErrorDetails = "version unavailable" });
        await using var server = ScriptedGame.Start(connection => connection.ServeAsync(game.Answer));
        await using var source = Source(server, new ReplaySettings());
        var failure = await Assert.ThrowsAsync<GameException>(() => source.StartAsync(Ct));
        Assert.Contains(
            "It needs version 4.10.1 (build 75800, data ABC), and the game is 5.0 (build 99999", failure.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Unsupported_replay_settings_are_refused()
    {
        var settings = new ReplaySettings { Rate = StepRate.GameClock, From = 3 };
        Assert.Contains("clock", Assert.Throws<GameException>(settings.Validate).Message, StringComparison.Ordinal);
        Assert.Throws<GameException>(() => new ReplaySettings { From = 4, To = 3 }.Validate());
    }

    private static ReplaySource Source(ScriptedGame server, ReplaySettings settings) => new(
        new Replay(File, Google.Protobuf.ByteString.CopyFrom(_bytes), ReplayHead.Read(_bytes, File)),
        settings,
        new ReplayGame(server.Address));

    private static StandInGame Game(
        ResponseReplayInfo? info = null, ResponseStartReplay? start = null, uint endLoop = 30)
    {
        var game = new StandInGame
        {
            EndLoop = endLoop,
            Override = (request, loop) => request.RequestCase switch
            {
                Request.RequestOneofCase.ReplayInfo => new Response
                {
                    Status = Status.Launched,
                    ReplayInfo = info ?? Info(),
                },
                Request.RequestOneofCase.StartReplay when start is not null => new Response
                {
                    Status = Status.Launched,
                    StartReplay = start,
                },
                Request.RequestOneofCase.Observation when loop >= endLoop => StandInGame.Observed(
                    endLoop, Status.Ended, new PlayerResult { PlayerId = 2, Result = Result.Defeat },
                    new PlayerResult { PlayerId = 1, Result = Result.Undecided }),
                Request.RequestOneofCase.Observation => StandInGame.Observed(loop, Status.InReplay),
                Request.RequestOneofCase.Step => new Response
                {
                    Status = Status.InReplay,
                    Step = new ResponseStep { SimulationLoop = loop },
                },
                _ => null,
            },
        };
        return game;
    }

    private static ResponseReplayInfo Info() => new()
    {
        MapName = "Some Map LE",
        LocalMapPath = "maps/SomeMap.SC2Map",
        GameDurationLoops = 30,
        PlayerInfo =
        {
            new PlayerInfoExtra
            {
                PlayerInfo = new PlayerInfo
                {
                    PlayerId = 1,
                    Type = PlayerType.Participant,
                    RaceRequested = Race.Terran,
                    PlayerName = "Mind",
                },
                PlayerResult = new PlayerResult { PlayerId = 1, Result = Result.Victory },
            },
            new PlayerInfoExtra
            {
                PlayerInfo = new PlayerInfo
                {
                    PlayerId = 2,
                    Type = PlayerType.Computer,
                    RaceRequested = Race.Zerg,
                    Difficulty = Difficulty.VeryHard,
                },
                PlayerResult = new PlayerResult { PlayerId = 2, Result = Result.Defeat },
            },
        },
    };

    private static async Task<uint> LoopAsync(ReplaySource source)
    {
        var frame = (await source.NextAsync(Ct))!;
        frame.Release();
        return frame.Header.GameLoop;
    }

    private static async Task<List<uint>> LoopsAsync(ReplaySource source)
    {
        var loops = new List<uint>();
        while (await source.NextAsync(Ct) is { } frame)
        {
            loops.Add(frame.Header.GameLoop);
            frame.Release();
        }

        return loops;
    }
}
