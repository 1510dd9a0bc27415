using SC2APIProtocol;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>
/// Which request is valid when, as the comments of s2client-proto's <c>sc2api.proto</c> have it, and wider where
/// clients are known to ask (creating a game while one runs: PySC2). A refused request changes nothing.
/// </summary>
/// <remarks>
/// The first four sentences are the game's own, met by its users: python-sc2 compares them letter by letter. The others
/// are ours; what the game says there is not known.
/// </remarks>
public static class RequestRules
{
    /// <summary>Before a game, and after leaving one.</summary>
    public const string NoGame = "A game has not been started yet";

    /// <summary>To saving a replay, and to observations in real time.</summary>
    public const string NotInGame = "Not in a game";

    /// <summary>To a step.</summary>
    public const string Ended = "Game has already ended";

    /// <summary>To the rest of what only a running game can do.</summary>
    public const string NotOnceEnded = "Not supported if game has already ended";

    /// <summary>Why a request is refused, or null.</summary>
    public static string? Refusal(Request.RequestOneofCase request, in ClientState now) => request switch
    {
        None => "Request has no content: set one of its request fields",
        Ping or Quit or AvailableMaps or SaveMap or ReplayInfo => null,
        CreateGame or StartReplay => Starting(now),
        JoinGame => now.Status is Status.Launched or Status.InitGame ? null : "Already in a game",
        LeaveGame or GameInfo or Request.RequestOneofCase.Observation or Data => HasGame(now) ? null : NoGame,
        SaveReplay => !HasGame(now) ? NotInGame
            : now.WasReplay && !now.Recorded ? "Not recording: start the replay with record_replay" : null,
        RestartGame => !HasGame(now) ? NoGame
            : now.WasReplay ? "Not supported in a replay" : Single(now),
        QuickLoad => !HasGame(now) ? NoGame : now.WasReplay ? "Not supported in a replay" : Single(now),
        _ => Running(request, now),
    };

    private static bool HasGame(in ClientState now) => now.Status is Status.InGame or Status.InReplay or Status.Ended;

    private static string? Single(in ClientState now) => now.Shared ? "Not supported in a multiplayer game" : null;

    private static string? Starting(in ClientState now) => now.Status == Status.InitGame
        ? "A game has already been created: join it"
        : HasGame(now) && now.Shared ? "Leave the multiplayer game first" : null;

    private static string? Running(Request.RequestOneofCase request, in ClientState now)
    {
        if (!HasGame(now))
        {
            return NoGame;
        }

        if (now.Status == Status.Ended)
        {
            return request == Step ? Ended : NotOnceEnded;
        }

        var replay = now.Status == Status.InReplay;
        return request switch
        {
            Step => now.Realtime ? "Not supported in realtime mode" : null,
            Query => null,
            ObsAction => now.Observer ? null : "Only supported for observers",
            Request.RequestOneofCase.Action => now.Observer ? "Not supported for observers" : null,
            Debug or MapCommand => replay ? "Not supported in a replay" : null,
            QuickSave => replay ? "Not supported in a replay" : Single(now),
            _ => "Unknown request",
        };
    }
}
