using Google.Protobuf;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Commands;

namespace Sc2Bridge.Simulator.Tests.Commands;

public sealed class ReplayFileTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_replay_gives_the_observations_of_the_match(bool decided)
    {
        var (match, seen) = Play(decided);
        var start = new RequestStartReplay { ReplayData = match, ObservedPlayerId = 1, Options = Game.Options };
        var replay = new SimulatedGame(new SimulatorOptions());
        var started = replay.Handle(new Request { StartReplay = start });
        Assert.Equal(Status.InReplay, started.Status);
        foreach (var observation in seen)
        {
            Assert.Equal(observation, replay.Observe().Observation);
            replay.Step(25);
        }

        Assert.Equal(Status.Ended, replay.Status);
        replay.Observe();
        Assert.Equal(2, replay.Observe().Observation.PlayerResult.Count);
    }

    [Fact]
    public void A_replays_content_is_reported_without_playing_it()
    {
        var (match, _) = Play(leave: false);
        var info = new SimulatedGame(new SimulatorOptions())
            .Handle(new Request { ReplayInfo = new RequestReplayInfo { ReplayData = match } }).ReplayInfo;
        Assert.Equal((Game.Map, 100u), (info.MapName, info.GameDurationLoops));
        Assert.Equal(100 / 22.4, info.GameDurationSeconds, 3);
        Assert.Equal("me", info.PlayerInfo[0].PlayerInfo.PlayerName);
        Assert.Equal(Race.Terran, info.PlayerInfo[0].PlayerInfo.RaceActual);
        Assert.Equal(Result.Undecided, info.PlayerInfo[1].PlayerResult.Result);
    }

    [Fact]
    public void A_replay_is_found_by_its_path_and_can_be_saved_again()
    {
        var folder = Directory.CreateTempSubdirectory();
        try
        {
            var (match, _) = Play(leave: false);
            File.WriteAllBytes(Path.Combine(folder.FullName, "a.SC2Replay"), match.ToByteArray());
            var game = new SimulatedGame(new SimulatorOptions { ReplayFolder = folder.FullName });
            var start = new RequestStartReplay
            {
                ReplayPath = "a.SC2Replay",
                Options = Game.Options,
                RecordReplay = true,
            };
            Assert.Equal(Status.InReplay, game.Handle(new Request { StartReplay = start }).Status);
            Assert.Equal(match, game.Handle(new Request { SaveReplay = new RequestSaveReplay() }).SaveReplay.Data);
            start.ReplayPath = "b.SC2Replay";
            var wrong = game.Handle(new Request { StartReplay = start }).StartReplay;
            Assert.Equal(ResponseStartReplay.Types.Error.InvalidReplayPath, wrong.Error);
            Assert.Contains("b.SC2Replay", wrong.ErrorDetails);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public void A_replay_is_played_by_the_version_that_saved_it_or_by_one_without_a_version()
    {
        var saved = Game.Joined(Game.Create(), options: new SimulatorOptions { BaseBuild = 75689, DataVersion = "AB" });
        saved.Step(3);
        var replay = saved.Handle(new Request { SaveReplay = new RequestSaveReplay() }).SaveReplay.Data;
        Assert.Null(Starts(75689, "AB"));
        Assert.Null(Starts(0, "SIMULATED"));
        Assert.Equal("The version required to play this game is unavailable.", Starts(75689, "CD"));
        Assert.Equal("The version required to play this game is unavailable.", Starts(80949, "AB"));

        string? Starts(uint build, string data)
        {
            var game = new SimulatedGame(new SimulatorOptions { BaseBuild = build, DataVersion = data });
            var ping = game.Handle(new Request { Ping = new RequestPing() }).Ping;
            Assert.Equal((build, data), (ping.BaseBuild, ping.DataVersion));
            var asked = new RequestReplayInfo { ReplayData = replay };
            var info = game.Handle(new Request { ReplayInfo = asked }).ReplayInfo;
            Assert.Equal((75689u, "AB"), (info.BaseBuild, info.DataVersion));
            var start = new RequestStartReplay { ReplayData = replay, Options = Game.Options };
            var answer = game.Handle(new Request { StartReplay = start }).StartReplay;
            return answer.HasError ? answer.ErrorDetails : null;
        }
    }

    [Fact]
    public void A_device_without_end_is_no_replay()
    {
        const string Endless = "/dev/zero";
        Assert.SkipUnless(File.Exists(Endless), "this system has no such device");
        var game = new SimulatedGame(new SimulatorOptions { ReplayFolder = "/dev" });
        var asked = new RequestReplayInfo { ReplayPath = Endless };
        var answer = game.Handle(new Request { ReplayInfo = asked }).ReplayInfo;
        Assert.Equal(ResponseReplayInfo.Types.Error.ParsingError, answer.Error);
        Assert.Equal("/dev/zero is not a replay of the simulated game.", answer.ErrorDetails);
    }

    [Fact]
    public void Files_outside_the_folder_of_replays_are_not_found()
    {
        var root = Directory.CreateTempSubdirectory();
        try
        {
            var secret = Path.Combine(root.FullName, "secret");
            File.WriteAllText(secret, "a secret");
            var folder = root.CreateSubdirectory("replays");
            File.CreateSymbolicLink(Path.Combine(folder.FullName, "linked"), secret);
            Directory.CreateSymbolicLink(Path.Combine(folder.FullName, "folder"), root.FullName);
            var game = new SimulatedGame(new SimulatorOptions { ReplayFolder = folder.FullName });
            var nowhere = Path.Combine(root.FullName, "nowhere");
            Assert.All(
                [secret, "../secret", "a/../../secret", "linked", "folder/secret", root.FullName, "..", nowhere, "none"],
                path =>
                {
                    var info = game.Handle(new Request { ReplayInfo = new() { ReplayPath = path } }).ReplayInfo;
                    Assert.Equal(ResponseReplayInfo.Types.Error.InvalidReplayPath, info.Error);
                    var start = new RequestStartReplay { ReplayPath = path, Options = Game.Options };
                    var started = game.Handle(new Request { StartReplay = start }).StartReplay;
                    Assert.Equal(ResponseStartReplay.Types.Error.InvalidReplayPath, started.Error);
                    Assert.Equal(info.ErrorDetails, started.ErrorDetails);
                    Assert.StartsWith($"There is no replay '{path}'", info.ErrorDetails, StringComparison.Ordinal);
                });
        }
        finally
        {
            root.Delete(recursive: true);
        }
    }

    [Fact]
    public void A_map_that_is_saved_is_written_nowhere()
    {
        var game = new SimulatedGame(new SimulatorOptions());
        var name = $"{Guid.NewGuid():n}.SC2Map";
        var save = new RequestSaveMap { MapPath = name, MapData = ByteString.CopyFromUtf8("a map") };
        Assert.False(game.Handle(new Request { SaveMap = save }).SaveMap.HasError);
        Assert.Empty(Directory.GetFiles(
            Path.GetTempPath(), name, new EnumerationOptions { RecurseSubdirectories = true, MaxRecursionDepth = 3 }));
        Assert.All(["../a.SC2Map", "/a.SC2Map", "a/../../b", "C:\\a", "\\a", ""], path =>
        {
            save.MapPath = path;
            Assert.True(game.Handle(new Request { SaveMap = save }).SaveMap.HasError, path);
        });
    }

    [Fact]
    public void A_replay_of_the_real_game_is_refused_by_name()
    {
        var real = ByteString.CopyFrom("MPQ\u001b and more"u8);
        var start = new RequestStartReplay { ReplayData = real, Options = Game.Options };
        var answer = new SimulatedGame(new SimulatorOptions()).Handle(new Request { StartReplay = start });
        Assert.Equal(ResponseStartReplay.Types.Error.InvalidReplayData, answer.StartReplay.Error);
        Assert.Contains("is a replay of StarCraft II:", answer.StartReplay.ErrorDetails);
        Assert.Equal(Status.Launched, answer.Status);
    }

    [Fact]
    public void Whatever_the_bytes_are_only_the_documented_error_comes()
    {
        var good = Play(leave: true).Replay.ToByteArray();
        var random = new Random(11);
        for (var i = 0; i < 2000; i++)
        {
            byte[] bytes = [.. good.AsSpan(0, random.Next(3) == 0 ? random.Next(good.Length + 1) : good.Length)];
            for (var flips = random.Next(1, 4); flips > 0 && bytes.Length > 0; flips--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            if (bytes.Length > 48 && random.Next(2) == 0)
            {
                // With a correct hash, so that the rest of the file is read.
                System.Security.Cryptography.SHA256.HashData(bytes.AsSpan(48), bytes.AsSpan(16));
                good.AsSpan(0, 16).CopyTo(bytes);
            }

            try
            {
                ReplayFile.Read(bytes, "fuzz");
            }
            catch (FormatException error)
            {
                Assert.StartsWith("fuzz", error.Message);
            }
        }
    }

    private static (ByteString Replay, List<ResponseObservation> Seen) Play(bool leave)
    {
        var game = Game.Joined(Game.CreateForOne(seed: 5), Game.JoinAs(Race.Terran, "me"));
        var seen = new List<ResponseObservation>();
        for (var i = 0; i < 4; i++)
        {
            seen.Add(game.Observe().Observation);
            game.Act(Game.Say($"{i}"));
            game.Debug(new DebugCommand { GameState = DebugGameState.Minerals });
            if (leave && i == 3)
            {
                game.Debug(Game.End(DebugEndGame.Types.EndResult.Surrender));
            }

            game.Step(25);
        }

        return (game.Handle(new Request { SaveReplay = new RequestSaveReplay() }).SaveReplay.Data, seen);
    }
}
