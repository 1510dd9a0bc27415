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

    private readonly Dictionary<string, ByteString> _replays = [];
    private string _map = map ?? "";
    private uint _id;

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
                        await PrepareAsync(state);
                    }

                    var problem = await TryAsync(kind, state, table[(kind, state)]);
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

    /// <summary>Brings the game into a state from any other.</summary>
    /// <exception cref="ConformanceException">It does not come there.</exception>
    public async Task PrepareAsync(string state)
    {
        await ResetAsync();
        if (state == "launched")
        {
            return;
        }

        if (state == "in_replay")
        {
            Succeeds(await SendAsync(new Request { StartReplay = await ReplayAsync() }));
            return;
        }

        Succeeds(await SendAsync(new Request { CreateGame = await CreateAsync(state) }));
        if (state == "init_game")
        {
            return;
        }

        Succeeds(await SendAsync(new Request { JoinGame = Join(state) }));
        Succeeds(await SendAsync(new Request { QuickSave = new RequestQuickSave() }));
        if (state == "ended")
        {
            await EndAsync();
        }
    }

    /// <summary>
    /// Sends a request that makes sense, and says what is wrong with the answer; null where nothing is.
    /// </summary>
    public async Task<string?> TryAsync(Kind kind, string state, ConformanceRule expected)
    {
        var request = await SampleAsync(kind, state);
        var response = await SendAsync(request);
        var body = (int)response.ResponseCase;
        var typed = body == 0 ? null : Response.Descriptor.FindFieldByNumber(body).MessageType.FindFieldByName("error");
        var error = typed is not null && typed.Accessor.HasValue((IMessage)BodyOf(response));
        var answer = body == 0 ? "refused" : error ? "error" : "ok";
        return answer != expected.Answer ? $"{kind} in {state}: {answer}, not {expected.Answer}: {Short(response)}"
            : body != 0 && body != (int)kind ? $"{kind} in {state}: answered as {response.ResponseCase}"
            : (body == 0) != (response.Error.Count > 0) ? $"{kind} in {state}: answer and errors: {Short(response)}"
            : kind == Kind.Quit ? null
            : response.Id != request.Id ? $"{kind} in {state}: id {response.Id} for {request.Id}"
            : response.Status != expected.After ? $"{kind} in {state}: then {response.Status}, not {expected.After}"
            : null;
    }

    private static object BodyOf(Response response) =>
        Response.Descriptor.FindFieldByNumber((int)response.ResponseCase).Accessor.GetValue(response);

    private static string Short(Response response) =>
        response.ToString() is { Length: > 300 } text ? text[..300] : response.ToString();

    private static void Succeeds(Response response)
    {
        if (response.Error.Count > 0 || response.ToString().Contains("\"error\"", StringComparison.Ordinal))
        {
            throw new ConformanceException($"the game answered {Short(response)}");
        }
    }

    private async Task<Response> SendAsync(Request request)
    {
        request.Id = ++_id;
        return await exchange(request);
    }

    private async Task ResetAsync()
    {
        var status = (await SendAsync(new Request { Ping = new RequestPing() })).Status;
        if (status == Status.InitGame)
        {
            // Only a join leads out of it: as a player or as an observer, as it was created.
            var joined = await SendAsync(new Request { JoinGame = Join("in_game") });
            if (joined.JoinGame.HasError)
            {
                await SendAsync(new Request { JoinGame = Join("observer") });
            }
        }

        if (status != Status.Launched
            && (await SendAsync(new Request { LeaveGame = new RequestLeaveGame() })).Status is var left and not Status.Launched)
        {
            throw new ConformanceException($"a game that was left is {ApiState.NameOf(left)}, not launched");
        }
    }

    private async Task EndAsync()
    {
        await SendAsync(Request.Parser.ParseJson("""{"debug": {"debug": [{"endGame": {"endResult": "DeclareVictory"}}]}}"""));
        for (var tries = 0; tries < 50; tries++)
        {
            if ((await SendAsync(new Request { Step = new RequestStep() })).Status == Status.Ended)
            {
                return;
            }
        }

        throw new ConformanceException("the game does not end when a debug command says so");
    }

    private async Task<RequestCreateGame> CreateAsync(string state)
    {
        if (_map.Length == 0)
        {
            var maps = (await SendAsync(new Request { AvailableMaps = new RequestAvailableMaps() })).AvailableMaps;
            _map = maps.LocalMapPaths.FirstOrDefault() ?? throw new ConformanceException("the game lists no map");
        }

        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = _map },
            RandomSeed = 1,
            Realtime = state == "realtime",
        };
        create.PlayerSetup.Add(state == "observer" ? Computer() : new PlayerSetup { Type = PlayerType.Participant });
        create.PlayerSetup.Add(Computer());
        if (state == "observer")
        {
            create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Observer });
        }

        return create;
    }

    private static PlayerSetup Computer() =>
        new() { Type = PlayerType.Computer, Race = Race.Zerg, Difficulty = Difficulty.VeryEasy };

    private static RequestJoinGame Join(string state) => state == "observer"
        ? new RequestJoinGame { ObservedPlayerId = 0, Options = Options() }
        : new RequestJoinGame { Race = Race.Terran, Options = Options() };

    private static InterfaceOptions Options() => new() { Raw = true, Score = true };

    private async Task<RequestStartReplay> ReplayAsync()
    {
        if (!_replays.TryGetValue(_map, out var replay))
        {
            await PrepareAsync("in_game");
            Succeeds(await SendAsync(new Request { Step = new RequestStep { Count = 20 } }));
            await EndAsync();
            var saved = await SendAsync(new Request { SaveReplay = new RequestSaveReplay() });
            _replays[_map] = replay = saved.SaveReplay.Data;
            await ResetAsync();
        }

        return new RequestStartReplay { ReplayData = replay, Options = Options() };
    }

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
            Kind.CreateGame => new Request { CreateGame = await CreateAsync("in_game") },
            Kind.JoinGame => new Request { JoinGame = Join(state) },
            _ => Request.Parser.ParseJson(_samples.GetValueOrDefault(kind)
                ?? $$$"""{"{{{Request.Descriptor.FindFieldByNumber((int)kind).JsonName}}}": {}}"""),
        };
    }

    // A replay is made by playing: the state is brought about again afterwards.
    private async Task<RequestStartReplay> KeepingAsync(string state)
    {
        var made = _replays.ContainsKey(_map);
        var replay = await ReplayAsync();
        if (!made)
        {
            await PrepareAsync(state);
        }

        return replay;
    }
}
