using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>Which of a bot's requests the bridge passes on to the game, and which it changes for that.</summary>
/// <param name="ladder">The rules of a ladder, if they hold.</param>
/// <param name="shared">What the bot shares with the other side's client, if it has one.</param>
/// <param name="maps">The game's folder of maps; null for an unknown one.</param>
internal sealed class BotRequestRules(LadderRules? ladder, SharedMatch? shared, Func<string?>? maps)
{
    /// <summary>Why the bridge passes a request on in no match; null if it may.</summary>
    public string? Refusal(Request request)
    {
        if (GamePath.Outside(request) is { } path)
        {
            return $"{path} leaves the game's folders, which the bridge passes on for no bot: give a path below them";
        }

        if (shared is not null && request.RequestCase == Kind.CreateGame)
        {
            return "The bridge creates the match, for two sides: join it";
        }

        if (shared is not null && request.JoinGame is { HasObservedPlayerId: true })
        {
            return "The bridge keeps a side of this match for each bot: join it with a race, not as an observer";
        }

        return ladder is null ? null : LadderRules.Refusal(request);
    }

    /// <summary>The request that goes to the game instead; null if the bot's own goes.</summary>
    public Request? InPlaceOf(Request request, Status status) => request.RequestCase switch
    {
        // The process is the bridge's: a bot leaves its match, as behind any ladder's proxy.
        Kind.Quit => status is Status.InGame or Status.InReplay or Status.Ended
            ? new Request { LeaveGame = new RequestLeaveGame() }
            : new Request { Ping = new RequestPing() },

        // The bridge chooses the ports of its games. A bot for ladders always sends ports; a game with one bot would wait for
        // another one there.
        Kind.JoinGame when shared is not null || request.JoinGame.ServerPorts is not null
            || request.JoinGame.ClientPorts.Count > 0 || request.JoinGame.HasHostIp => WithOwnPorts(request),

        // Some bots give the whole path of a map in their own installation: the game finds it in its folder by name.
        Kind.CreateGame when request.CreateGame.LocalMap is { HasMapPath: true, MapPath: var path }
            && !GamePath.IsBelow(path) && !GamePath.IsBelow(path, maps?.Invoke()) => WithMapName(request),
        _ => null,
    };

    private static Request WithMapName(Request request)
    {
        var named = request.Clone();
        named.CreateGame.LocalMap.MapPath = GamePath.NameOf(request.CreateGame.LocalMap.MapPath);
        return named;
    }

    private Request WithOwnPorts(Request request)
    {
        var joined = request.Clone();
        joined.JoinGame.ServerPorts = null;
        joined.JoinGame.ClientPorts.Clear();
        joined.JoinGame.ClearHostIp();
        joined.JoinGame.ClearSharedPort();
        shared?.SetPorts(joined.JoinGame);
        return joined;
    }
}
