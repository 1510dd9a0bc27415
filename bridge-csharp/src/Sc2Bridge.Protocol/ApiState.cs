using SC2APIProtocol;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Protocol;

/// <summary>
/// The state of a game's API, and the requests that are legal in it. This class does no I/O. Clients check a request before they
/// send it, and a server that stands in for the game checks the requests that it gets.
/// </summary>
/// <remarks>
/// The states are <c>launched → init_game → in_game | in_replay → ended → quit</c> (s2client-proto,
/// <c>docs/protocol.md</c>). A request is legal in a state if PySC2's remote controller or another known client sends
/// it in that state. The game never reports <c>quit</c>. When the game has quit, pass
/// <c>Status.Quit</c> to <see cref="RecordStatus"/>. Not thread-safe.
/// </remarks>
/// <param name="initial">
/// The first state. Use <see cref="Status.Unknown"/> for a game that may already have been running. This value allows every
/// request until the first answer reports the state.
/// </param>
public sealed class ApiState(Status initial = Status.Unknown)
{
    private static readonly Status[] _states =
        [Status.Launched, Status.InitGame, Status.InGame, Status.InReplay, Status.Ended];

    /// <summary>The last state that the game reported.</summary>
    public Status Current { get; private set; } = initial;

    /// <summary>
    /// True if the game's own clock advances the match. If so, <c>step</c> is illegal in matches and in replays.
    /// </summary>
    public bool Realtime { get; set; }

    /// <summary>Whether a request is legal in a state, without regard to <see cref="Realtime"/>.</summary>
    /// <param name="status">The state. <see cref="Status.Unknown"/> allows every request.</param>
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

    /// <summary>Why a request may not be sent now, in one line; null if it may be sent.</summary>
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
                ? $"The game does not know the request `{name}`: send one that its API defines."
                : $"`{name}` is not valid in the state {NameOf(Current)}; it is valid in: {valid}.";
        }

        return request == Step && Realtime
            ? "`step` is not valid in real time, because the game's clock advances the match: to wait, observe with `game_loop`."
            : null;
    }

    /// <summary>Records the state of an answer.</summary>
    /// <param name="status">
    /// <c>Response.status</c>. A value that this version of the API does not define counts as <see cref="Status.Unknown"/>.
    /// </param>
    public void RecordStatus(Status status) => Current = Enum.IsDefined(status) ? status : Status.Unknown;
}
