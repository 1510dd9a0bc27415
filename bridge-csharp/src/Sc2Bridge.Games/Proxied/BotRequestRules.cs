using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>Decides which requests of a bot go to the game, and which of them are changed first.</summary>
/// <param name="ladder">The rules of a ladder; null for none.</param>
/// <param name="shared">The state that this bot's client shares with the other side's client; null for a match with one client.</param>
/// <param name="maps">Returns the game's folder of maps; null if unknown.</param>
internal sealed class BotRequestRules(LadderRules? ladder, SharedMatch? shared, Func<string?>? maps)
{
    /// <summary>Returns why the bridge never forwards a request, in any state of the match; null if the request may be forwarded.</summary>
    public string? Refusal(Request request)
    {
        if (GamePath.FindOutsideField(request) is { } path)
        {
            return $"{path} leaves the game's folders, so the bridge does not forward the request: give a path below these folders";
        }

        if (shared is not null && request.RequestCase == Kind.CreateGame)
        {
            return "The bridge creates the match of two sides: join it";
        }

        if (shared is not null && request.JoinGame is { HasObservedPlayerId: true })
        {
            return "The bridge keeps a side of this match for each bot: join it with a race, not as an observer";
        }

        return ladder is null ? null : LadderRules.Refusal(request);
    }

    /// <summary>Returns the request to send to the game instead of the bot's request; null to send the bot's request.</summary>
    public Request? ReplacementFor(Request request, Status status) => request.RequestCase switch
    {
        // The bridge ends the game's process, not the bot. A bot that quits only leaves its match, as behind a ladder's proxy.
        Kind.Quit => status is Status.InGame or Status.InReplay or Status.Ended
            ? new Request { LeaveGame = new RequestLeaveGame() }
            : new Request { Ping = new RequestPing() },

        // The bridge chooses the ports of its games. Bots for ladders always send ports, but a game that gets ports waits for a second
        // client.
        Kind.JoinGame when shared is not null || request.JoinGame.ServerPorts is not null
            || request.JoinGame.ClientPorts.Count > 0 || request.JoinGame.HasHostIp => WithOwnPorts(request),

        // Some bots send a map's full path in their own installation. If the game gets only the map's name, it finds its own copy of the map.
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
