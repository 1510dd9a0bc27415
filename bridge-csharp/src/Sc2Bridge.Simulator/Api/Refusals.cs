using SC2APIProtocol;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Which requests the game refuses in which state, in its own words.</summary>
internal static class Refusals
{
    /// <summary>Why a request is refused, or null.</summary>
    /// <param name="kind">The request's kind.</param>
    /// <param name="status">The game's state.</param>
    /// <param name="realtime">Whether the game's own clock moves it.</param>
    public static string? Of(Request.RequestOneofCase kind, Status status, bool realtime)
    {
        var inGame = status == Status.InGame;
        var ended = status == Status.Ended;
        return kind switch
        {
            None => "Request has no content: set one of its request fields.",
            Ping or Quit or AvailableMaps or SaveMap or ReplayInfo => null,
            CreateGame or StartReplay => status == Status.Launched || ended ? null : "Game has already started.",
            JoinGame => status == Status.InitGame || ended ? null
                : inGame ? "Game has already started." : "No game was created to join.",
            RestartGame => inGame || ended ? null : "Not in a game.",
            LeaveGame => inGame || ended || status == Status.InitGame ? null : "Not in a game.",
            Request.RequestOneofCase.Observation or GameInfo or Data or SaveReplay =>
                inGame || ended ? null : "Not in a game.",
            Step when inGame && realtime => "Not supported in realtime mode.",
            Step or Request.RequestOneofCase.Action or ObsAction or Query or Debug or MapCommand or QuickSave
                or QuickLoad =>
                inGame ? null : ended ? "Not supported if game has already ended." : "Not in a game.",
            _ => "Unknown request.",
        };
    }
}
