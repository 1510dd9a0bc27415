using SC2APIProtocol;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Protocol;

/// <summary>
/// The state of a game as its API has it, and which requests are legal there: a guard without I/O, for the client that
/// would ask and for a server that stands in for the game.
/// </summary>
/// <remarks>
/// The states go <c>launched → init_game → in_game | in_replay → ended → quit</c> (s2client-proto,
/// <c>docs/protocol.md</c>); which request is legal in which is as PySC2's remote controller has it, and wider where
/// other clients are known to ask. The game never sends <c>quit</c>: who has quit it says so to
/// <see cref="Observed"/>. Not safe for use by several threads at once.
/// </remarks>
/// <param name="initial">
/// The state to start from. <see cref="Status.Unknown"/>, for a game that may have been running before, allows every
/// request until the first answer tells.
/// </param>
public sealed class ApiState(Status initial = Status.Unknown)
{
    private static readonly Status[] _states =
        [Status.Launched, Status.InitGame, Status.InGame, Status.InReplay, Status.Ended];

    /// <summary>The game's state, as it last said.</summary>
    public Status Current { get; private set; } = initial;

    /// <summary>
    /// True where the game's own clock runs the match: then <c>step</c> is illegal, in a game and in a replay.
    /// </summary>
    public bool Realtime { get; set; }

    /// <summary>Whether a request is legal in a state, the clock aside.</summary>
    /// <param name="status">The state; in <see cref="Status.Unknown"/> every request is.</param>
    /// <param name="request">The request's kind.</param>
    public static bool Allows(Status status, Request.RequestOneofCase request) => (status, request) switch
    {
        (_, None) => false,
        (Status.Unknown, _) => true,
        (Status.Quit, _) => false,
        (_, Ping or Quit or AvailableMaps or ReplayInfo) => true,
        (Status.InitGame, CreateGame or StartReplay) => false,
        (_, CreateGame or StartReplay) => true,
        (Status.Launched or Status.InitGame, JoinGame or SaveMap) => true,
        (Status.InGame, Request.RequestOneofCase.Action or Debug or QuickSave or QuickLoad or MapCommand) => true,
        (Status.InGame or Status.InReplay, Step or Query or ObsAction) => true,
        (Status.InGame or Status.InReplay or Status.Ended,
            Request.RequestOneofCase.Observation or GameInfo or Data or SaveReplay or LeaveGame) => true,
        (Status.InGame or Status.Ended, RestartGame) => true,
        _ => false,
    };

    /// <summary>A state as the API spells it, such as <c>in_game</c>.</summary>
    public static string NameOf(Status status) => status switch
    {
        Status.Launched => "launched",
        Status.InitGame => "init_game",
        Status.InGame => "in_game",
        Status.InReplay => "in_replay",
        Status.Ended => "ended",
        Status.Quit => "quit",
        Status.Unknown => "unknown",
        _ => $"{(int)status}",
    };

    /// <summary>A request as the API spells it, such as <c>create_game</c>.</summary>
    public static string NameOf(Request.RequestOneofCase request) =>
        Request.Descriptor.FindFieldByNumber((int)request)?.Name ?? $"{(int)request}";

    /// <summary>Why a request may not be sent now, as one line; null where it may.</summary>
    /// <param name="request">The request's kind.</param>
    public string? Refusal(Request.RequestOneofCase request)
    {
        if (request == None)
        {
            return "The request is empty: set one of its fields, such as `ping`.";
        }

        var name = NameOf(request);
        if (!Allows(Current, request))
        {
            var valid = string.Join(", ", _states.Where(state => Allows(state, request)).Select(NameOf));
            return valid.Length == 0
                ? $"The game knows no request `{name}`."
                : $"`{name}` is not valid in the state {NameOf(Current)}; it is valid in: {valid}.";
        }

        return request == Step && Realtime
            ? "`step` is not valid in real time, where the game's own clock moves it; observe with `game_loop` to wait."
            : null;
    }

    /// <summary>Takes note of the state that an answer carried.</summary>
    /// <param name="status">
    /// <c>Response.status</c>. One that this version of the API does not name counts as <see cref="Status.Unknown"/>.
    /// </param>
    public void Observed(Status status) => Current = Enum.IsDefined(status) ? status : Status.Unknown;
}
