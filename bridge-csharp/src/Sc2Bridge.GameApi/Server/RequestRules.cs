using SC2APIProtocol;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>
/// Decides whether a request is valid in the game's state. The rules follow the comments of s2client-proto's <c>sc2api.proto</c>, and also
/// allow what known clients do: PySC2 creates a game while another game runs. A refused request changes nothing.
/// </summary>
/// <remarks>
/// The four constants are the game's own messages, because python-sc2 compares them letter by letter. The other messages were written
/// for this project, because the game's wording of them is not known.
/// </remarks>
public static class RequestRules
{
    /// <summary>The error when no game was started, or when the client has left its game.</summary>
    public const string NoGame = "A game has not been started yet";

    /// <summary>The error of <c>save_replay</c> without a game. In real time, the real game also answers observations with this error.</summary>
    public const string NotInGame = "Not in a game";

    /// <summary>The error of a step after the end of the game.</summary>
    public const string Ended = "Game has already ended";

    /// <summary>The error of any other request that needs a running game, after the end of the game.</summary>
    public const string NotSupportedAfterEnd = "Not supported if game has already ended";

    /// <summary>Returns why a request is refused; null if it is valid.</summary>
    public static string? Refusal(Request.RequestOneofCase request, in ClientState now) => request switch
    {
        None => "Request has no content: set one of its request fields",
        Ping or Quit or AvailableMaps or SaveMap or ReplayInfo => null,
        CreateGame or StartReplay => RefusalToStart(now),
        JoinGame => now.Status is Status.Launched or Status.InitGame ? null : "Already in a game",
        LeaveGame or GameInfo or Request.RequestOneofCase.Observation or Data => HasGame(now) ? null : NoGame,
        SaveReplay => !HasGame(now) ? NotInGame
            : now.WasReplay && !now.HasReplayRecording ? "Not recording: start the replay with record_replay" : null,
        RestartGame => !HasGame(now) ? NoGame
            : now.WasReplay ? "Not supported in a replay" : RefusalIfShared(now),
        QuickLoad => !HasGame(now) ? NoGame : now.WasReplay ? "Not supported in a replay" : RefusalIfShared(now),
        _ => RefusalUnlessRunning(request, now),
    };

    private static bool HasGame(in ClientState now) => now.Status is Status.InGame or Status.InReplay or Status.Ended;

    private static string? RefusalIfShared(in ClientState now) => now.Shared ? "Not supported in a multiplayer game" : null;

    private static string? RefusalToStart(in ClientState now) => now.Status == Status.InitGame
        ? "A game has already been created: join it"
        : HasGame(now) && now.Shared ? "Leave the multiplayer game first" : null;

    private static string? RefusalUnlessRunning(Request.RequestOneofCase request, in ClientState now)
    {
        if (!HasGame(now))
        {
            return NoGame;
        }

        if (now.Status == Status.Ended)
        {
            return request == Step ? Ended : NotSupportedAfterEnd;
        }

        var replay = now.Status == Status.InReplay;
        return request switch
        {
            Step => now.Realtime ? "Not supported in realtime mode" : null,
            Query => null,
            ObsAction => now.Observer ? null : "Only supported for observers",
            Request.RequestOneofCase.Action => now.Observer ? "Not supported for observers" : null,
            Debug or MapCommand => replay ? "Not supported in a replay" : null,
            QuickSave => replay ? "Not supported in a replay" : RefusalIfShared(now),
            _ => "Unknown request",
        };
    }
}
