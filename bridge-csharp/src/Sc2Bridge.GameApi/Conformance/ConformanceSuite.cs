using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>
/// Holds a game against the table in CONFORMANCE.md: every request in every state. It knows the game only by how requests
/// are exchanged for responses: in the process, over a socket, or the real one.
/// </summary>
/// <param name="exchange">Sends a request as it stands, also one that makes no sense, and gives the answer.</param>
/// <param name="map">The map's path or name; null for the first that the game lists.</param>
public sealed class ConformanceSuite(Func<Request, Task<Response>> exchange, string? map = null)
{
    // Requests that mean nothing without content.
    private static readonly Dictionary<Kind, string> _samples = new()
    {
        [Kind.Action] = """{"action": {"actions": [{"actionChat": {"message": "hello"}}]}}""",
        [Kind.ObsAction] = """{"obsAction": {"actions": [{"cameraMove": {"worldPos": {"x": 40, "y": 40}}}]}}""",
        [Kind.Data] = """{"data": {"unitTypeId": true}}""",
        [Kind.Query] = """{"query": {"pathing": [{"startPos": {"x": 40, "y": 40}, "endPos": {"x": 50, "y": 50}}]}}""",
        [Kind.MapCommand] = """{"mapCommand": {"triggerCmd": "none of that name"}}""",
        [Kind.SaveMap] = """{"saveMap": {"mapPath": "A.SC2Map", "mapData": "YSBtYXA="}}""",
        [Kind.Debug] = """{"debug": {"debug": [{"draw": {}}]}}""",
    };

    private readonly ConformanceGame _game = new(exchange, map);

    /// <summary>
    /// Tries every request but <c>quit</c> in every state; the game is brought into a state anew only where a request led
    /// out of it, because the real one takes seconds to.
    /// </summary>
    /// <param name="begins">Is told each state before it is tried.</param>
    /// <returns>What was answered otherwise than the table says, a line each.</returns>
    /// <exception cref="GameException">The connection broke.</exception>
    public async Task<IReadOnlyList<string>> HoldAsync(Action<string> begins)
    {
        ArgumentNullException.ThrowIfNull(begins);
        var table = ConformanceTable.Read();
        var wrong = new List<string>();
        foreach (var state in ConformanceTable.States)
        {
            begins(state);
            var isThere = false;
            foreach (var kind in ConformanceTable.Kinds.Where(kind => kind != Kind.Quit).OrderBy(kind => !Stays(kind)))
            {
                try
                {
                    if (!isThere)
                    {
                        await _game.PrepareAsync(state);
                    }

                    var problem = await AskAsync(kind, state, table[(kind, state)]);
                    isThere = problem is null && Stays(kind);
                    wrong.AddRange(problem is null ? [] : [problem]);
                }
                catch (ConformanceException unreached)
                {
                    wrong.Add($"{kind} in {state}: not tried: {unreached.Message}");
                    isThere = false;
                }
            }

            bool Stays(Kind kind) => table[(kind, state)].After == ConformanceTable.StatusOf(state);
        }

        return wrong;
    }

    /// <summary>
    /// Brings the game into a state, sends a request that makes sense, and returns what is wrong with the answer; null if nothing is.
    /// </summary>
    /// <exception cref="ConformanceException">The game does not come into the state.</exception>
    public async Task<string?> TryAsync(Kind kind, string state, ConformanceRule expected)
    {
        await _game.PrepareAsync(state);
        return await AskAsync(kind, state, expected);
    }

    private async Task<string?> AskAsync(Kind kind, string state, ConformanceRule expected)
    {
        var request = await SampleAsync(kind, state);
        var response = await _game.SendAsync(request);
        var body = (int)response.ResponseCase;
        var typed = body == 0 ? null : Response.Descriptor.FindFieldByNumber(body).MessageType.FindFieldByName("error");
        var error = typed is not null && typed.Accessor.HasValue((IMessage)BodyOf(response));
        var answer = body == 0 ? "refused" : error ? "error" : "ok";
        return answer != expected.Answer ? $"{kind} in {state}: {answer}, not {expected.Answer}: {ConformanceGame.Short(response)}"
            : body != 0 && body != (int)kind ? $"{kind} in {state}: answered as {response.ResponseCase}"
            : (body == 0) != (response.Error.Count > 0) ? $"{kind} in {state}: answer and errors: {ConformanceGame.Short(response)}"
            : kind == Kind.Quit ? null
            : response.Id != request.Id ? $"{kind} in {state}: id {response.Id} for {request.Id}"
            : response.Status != expected.After ? $"{kind} in {state}: then {response.Status}, not {expected.After}"
            : null;
    }

    private static object BodyOf(Response response) =>
        Response.Descriptor.FindFieldByNumber((int)response.ResponseCase).Accessor.GetValue(response);

    private async Task<Request> SampleAsync(Kind kind, string state)
    {
        if (kind is Kind.StartReplay or Kind.ReplayInfo)
        {
            var replay = await KeepingAsync(state);
            return kind == Kind.StartReplay
                ? new Request { StartReplay = replay }
                : new Request { ReplayInfo = new RequestReplayInfo { ReplayData = replay.ReplayData } };
        }

        return kind switch
        {
            Kind.CreateGame => new Request { CreateGame = await _game.CreateAsync("in_game") },
            Kind.JoinGame => new Request { JoinGame = ConformanceGame.Join(state) },
            _ => Request.Parser.ParseJson(_samples.GetValueOrDefault(kind)
                ?? $$$"""{"{{{Request.Descriptor.FindFieldByNumber((int)kind).JsonName}}}": {}}"""),
        };
    }

    // A replay is made by playing: the state is brought about again afterwards.
    private async Task<RequestStartReplay> KeepingAsync(string state)
    {
        var made = _game.HasReplay;
        var replay = await _game.ReplayAsync();
        if (!made)
        {
            await _game.PrepareAsync(state);
        }

        return replay;
    }
}
