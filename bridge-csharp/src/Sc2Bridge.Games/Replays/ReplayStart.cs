using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Error = SC2APIProtocol.ResponseStartReplay.Types.Error;

namespace Sc2Bridge.Games;

/// <summary>Starts a replay in a game that is ready for the replay.</summary>
internal static class ReplayStart
{
    /// <summary>Starts the replay. Also sends the replay's map if the game would not find the map.</summary>
    /// <exception cref="GameException">The replay cannot be started. The message has the reason and the remedy.</exception>
    internal static async Task RunAsync(
        OpenedReplay opened, ReplaySettings settings, Installation? installation, CancellationToken ct)
    {
        ThrowIfUnplayable(opened, settings.Observe);
        var start = new RequestStartReplay
        {
            ReplayData = opened.Replay.Bytes,
            ObservedPlayerId = (int)settings.Observe,
            Options = settings.Interface,
            DisableFog = settings.DisableFog,
            Realtime = settings.Rate.Realtime,
        };
        if (MapToSend(opened, settings, installation) is { } map)
        {
            start.MapData = map;
        }

        var client = opened.Game.Client;
        var answer = await client.ExchangeAsync(new Request { StartReplay = start }, ct);
        if (answer.StartReplay is null || answer.StartReplay.HasError)
        {
            throw Refused(opened, settings, answer);
        }

        client.Realtime = settings.Rate.Realtime;
    }

    private static void ThrowIfUnplayable(OpenedReplay opened, uint observe)
    {
        if (opened.Info is not { } info)
        {
            return;
        }

        if (info.HasGameDurationLoops && info.GameDurationLoops == 0)
        {
            throw new GameException($"There is nothing in the replay {opened.Replay.Path}: it ends at game loop 0.");
        }

        var players = info.PlayerInfo.Select(player => player.PlayerInfo?.PlayerId ?? 0).ToList();
        if (observe > 0 && players.Count > 0 && !players.Contains(observe))
        {
            throw new NoSuchPlayerException(
                $"There is no player {observe} in the replay {opened.Replay.Path}: observe "
                + $"{string.Join(" or ", players)}, or 0 to see all.");
        }
    }

    // A ladder replay names a map that the game has cached or downloads. A replay of an API match names the path of a map
    // file, which may have another path on this machine (s2client-proto, protocol.md, "Replays").
    private static ByteString? MapToSend(OpenedReplay opened, ReplaySettings settings, Installation? installation)
    {
        if (settings.MapFile is { } named)
        {
            return ReadMap(named);
        }

        var path = (opened.Info?.LocalMapPath ?? "").Replace('\\', '/');
        if (path.Length == 0 || installation?.MapFolder is not { } folder
            || File.Exists(path) || File.Exists(Path.Combine(folder, path)))
        {
            return null;
        }

        return MapName.Find(
            path, new SystemEnvironment().FilesBelow(folder, MapNames.Extension).Order(StringComparer.Ordinal)) is { } found
            && ReadMap(Path.Combine(folder, found)) is { IsEmpty: false } map
            ? map
            : null;
    }

    private static ByteString ReadMap(string path)
    {
        try
        {
            return UnsafeByteOperations.UnsafeWrap(File.ReadAllBytes(path));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new GameException($"The map {path} cannot be read: {error.Message}", error);
        }
    }

    private static GameException Refused(OpenedReplay opened, ReplaySettings settings, Response answer)
    {
        var replay = opened.Replay.Path;
        if (answer.StartReplay is not { } refused)
        {
            return new GameRequestException(Request.RequestOneofCase.StartReplay, [.. answer.Error]);
        }

        var details = refused.ErrorDetails.TrimEnd('.');
        var reason = $"{refused.Error}{(details.Length > 0 ? $": {details}" : "")}";
        if (refused.Error == Error.InvalidObservedPlayerId)
        {
            return new NoSuchPlayerException($"There is no player {settings.Observe} in the replay {replay} ({reason}).");
        }

        if (refused.Error is Error.MissingReplay or Error.InvalidReplayPath or Error.InvalidReplayData)
        {
            return new GameException($"The game cannot read the replay {replay} ({reason}). Is the file complete?");
        }

        if (refused.Error is not (Error.LaunchError or Error.InvalidMapData))
        {
            return new GameException($"The game does not start the replay {replay} ({reason}).");
        }

        var version = opened.HasReplayVersion
            ? ""
            : $" It needs version {opened.GameVersion} (build {opened.BaseBuild}, data {opened.DataVersion}), and the "
                + $"game is {opened.Ping.GameVersion} (build {opened.Ping.BaseBuild}, data {opened.Ping.DataVersion}).";
        var map = opened.Info is { } info
            ? $"its map is {info.MapName}{(info.LocalMapPath.Length > 0 ? $" ({info.LocalMapPath})" : "")}"
            : $"the game reports: {opened.Problem}";
        return new GameException(
            $"The game could not start the replay {replay} ({reason}).{version} If its map is missing ({map}), put "
            + "the file into the game's Maps folder, or name it with --map.");
    }
}

/// <summary>The replay does not have the requested player.</summary>
public sealed class NoSuchPlayerException : GameException
{
    internal NoSuchPlayerException(string message)
        : base(message)
    {
    }
}
