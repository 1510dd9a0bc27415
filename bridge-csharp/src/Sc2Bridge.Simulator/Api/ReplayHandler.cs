using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Commands;
using InfoError = SC2APIProtocol.ResponseReplayInfo.Types.Error;
using StartError = SC2APIProtocol.ResponseStartReplay.Types.Error;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Handles requests about replays.</summary>
internal static class ReplayHandler
{
    /// <summary>Saves the match so far as a replay. If a replay is being watched, returns the replay itself.</summary>
    public static ResponseSaveReplay Save(Session session, GameVersion game) =>
        new() { Data = ByteString.CopyFrom((session.Replay ?? ReplayFile.Of(session.Match, game)).ToBytes()) };

    /// <summary>Describes a replay.</summary>
    public static ResponseReplayInfo Describe(RequestReplayInfo request, IGameFiles files)
    {
        var (bytes, name) = Given(
            files, request.HasReplayPath ? request.ReplayPath : null, request.HasReplayData ? request.ReplayData : null);
        if (bytes is null)
        {
            return name.Length == 0
                ? new() { Error = InfoError.MissingReplay, ErrorDetails = "Give replay_path or replay_data." }
                : new() { Error = InfoError.InvalidReplayPath, ErrorDetails = NotThere(name) };
        }

        try
        {
            return Describe(ReplayFile.Read(bytes, name));
        }
        catch (FormatException wrong)
        {
            var error = request.HasReplayData ? InfoError.InvalidReplayData : InfoError.ParsingError;
            return new() { Error = error, ErrorDetails = wrong.Message };
        }
    }

    /// <summary>Starts to watch a replay.</summary>
    public static ResponseStartReplay Start(
        RequestStartReplay request, IGameFiles files, Lobby lobby, GameVersion game)
    {
        var (bytes, name) = Given(
            files, request.HasReplayPath ? request.ReplayPath : null, request.HasReplayData ? request.ReplayData : null);
        if (bytes is null)
        {
            return name.Length == 0
                ? Refused(StartError.MissingReplay, "Give replay_path or replay_data.")
                : Refused(StartError.InvalidReplayPath, NotThere(name));
        }

        if (JoinRules.MissingInterface(request.Options) is { } missing)
        {
            return Refused(StartError.MissingOptions, missing);
        }

        if (Lobby.UnsupportedInterface(request.Options) is { } unsupported)
        {
            return Refused(StartError.LaunchError, unsupported);
        }

        ReplayFile replay;
        try
        {
            replay = ReplayFile.Read(bytes, name);
        }
        catch (FormatException wrong)
        {
            return Refused(StartError.InvalidReplayData, wrong.Message);
        }

        if (!game.Plays(replay.PlayedIn))
        {
            // The real game's message (s2client-proto issue 138).
            return Refused(StartError.LaunchError, "The version required to play this game is unavailable.");
        }

        var players = replay.Setup.Players.Count;
        if (request.ObservedPlayerId < 0 || request.ObservedPlayerId > players)
        {
            var none = $"observed_player_id {request.ObservedPlayerId} is not a player: give 1 to {players}, or 0 to see all players.";
            return Refused(StartError.InvalidObservedPlayerId, none);
        }

        lobby.Watch(replay, new Participation(request.ObservedPlayerId, true, request.Options.Clone())
        {
            DisableFog = request.DisableFog,
            Realtime = request.Realtime,
            Replay = replay,
            Recorded = request.RecordReplay,
        });
        return new ResponseStartReplay();
    }

    private static ResponseReplayInfo Describe(ReplayFile replay)
    {
        var info = new ResponseReplayInfo
        {
            MapName = replay.Setup.Map.Name,
            LocalMapPath = replay.Setup.Map.FileName,
            GameDurationLoops = (uint)replay.Loops,
            GameDurationSeconds = (float)(replay.Loops / LoopClock.LoopsPerSecond),
            GameVersion = replay.PlayedIn.Name,
            DataVersion = replay.PlayedIn.DataVersion,
            DataBuild = replay.PlayedIn.BaseBuild,
            BaseBuild = replay.PlayedIn.BaseBuild,
        };
        for (var i = 0; i < replay.Setup.Players.Count; i++)
        {
            var (spec, id) = (replay.Setup.Players[i], (uint)i + 1);
            var about = GameInfoMaker.About(id, spec);
            about.RaceActual = replay.Outcome[i].Race;
            if (spec.Type == PlayerType.Computer)
            {
                about.AiBuild = spec.Build;
            }

            info.PlayerInfo.Add(new PlayerInfoExtra
            {
                PlayerInfo = about,
                PlayerResult = new PlayerResult { PlayerId = id, Result = replay.Outcome[i].Result },
                PlayerApm = ActionsAMinute(replay, i + 1),
            });
        }

        return info;
    }

    // The game counts 2 for a command with a target, 1 for a command without one, and 0 for other actions.
    private static int ActionsAMinute(ReplayFile replay, int player)
    {
        var score = replay.Journal.Entries.Where(e => e.Player == player)
            .Select(e => (e.What as SC2APIProtocol.Action)?.ActionRaw?.UnitCommand)
            .Sum(c => c is null ? 0 : c.TargetCase == ActionRawUnitCommand.TargetOneofCase.None ? 1 : 2);
        return replay.Loops == 0 ? 0 : (int)(score * LoopClock.LoopsPerSecond * 60 / replay.Loops);
    }

    private static (byte[]? Bytes, string Name) Given(IGameFiles files, string? path, ByteString? data) =>
        path is not null ? (files.ReadReplay(path), path) : (data?.ToByteArray(), data is null ? "" : "replay_data");

    private static string NotThere(string path) =>
        $"There is no replay '{path}': give a path below the folder of replays (-replays DIR), without symbolic links.";

    private static ResponseStartReplay Refused(StartError error, string details) =>
        new() { Error = error, ErrorDetails = details };
}
