using System.Globalization;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>
/// Tests a game against the table in CONFORMANCE.md: every request in every state. The suite needs only a function that sends a request
/// and returns the response. So the suite can test a game in this process, a game behind a socket, or the real game.
/// </summary>
/// <param name="exchange">Sends a request unchanged, even an invalid one, and returns the answer.</param>
/// <param name="map">The map's path or name; null for the first map that the game lists.</param>
public sealed class ConformanceSuite(Func<Request, Task<Response>> exchange, string? map = null)
{
    // Sample requests, for the kinds of request that need fields.
    private static readonly Dictionary<Kind, string> _samples = new()
    {
        [Kind.Action] = """{"action": {"actions": [{"actionChat": {"message": "hello"}}]}}""",
        [Kind.ObsAction] = """{"obsAction": {"actions": [{"cameraMove": {"worldPos": {"x": 40, "y": 40}}}]}}""",
        [Kind.Data] = """{"data": {"unitTypeId": true}}""",
        [Kind.Query] = """{"query": {"pathing": [{"startPos": {"x": 40, "y": 40}, "endPos": {"x": 50, "y": 50}}]}}""",
        [Kind.MapCommand] = """{"mapCommand": {"triggerCmd": "none of that name"}}""",
        [Kind.SaveMap] = """{"saveMap": {"mapPath": "sc2bridge-doctor.SC2Map", "mapData": "YSBtYXA="}}""",
        [Kind.Debug] = """{"debug": {"debug": [{"draw": {}}]}}""",
    };

    private readonly ConformanceGame _game = new(exchange, map);
    private readonly Lock _lock = new();
    private readonly List<ConformanceAnswer> _answers = [];

    /// <summary>A copy of the answers so far. It can be read while the suite runs.</summary>
    public IReadOnlyList<ConformanceAnswer> Answers
    {
        get
        {
            lock (_lock)
            {
                return [.. _answers];
            }
        }
    }

    /// <summary>
    /// Tests every request except <c>quit</c> in every state: first the requests that do not change the state, because the real game needs
    /// seconds to reach a state again.
    /// </summary>
    /// <param name="onStateBegins">Called with each state before the requests in that state are tested, twice for each state.</param>
    /// <returns>One line for each answer that differs from the table.</returns>
    /// <exception cref="GameException">The connection broke.</exception>
    public async Task<IReadOnlyList<string>> RunAsync(Action<string> onStateBegins)
    {
        ArgumentNullException.ThrowIfNull(onStateBegins);
        var table = ConformanceTable.Read();
        var problems = new List<string>();
        foreach (var (changes, state) in ConformanceTable.States.Select(state => (false, state))
            .Concat(ConformanceTable.States.Select(state => (true, state))))
        {
            onStateBegins(state);
            var isInState = false;
            foreach (var kind in ConformanceTable.Kinds.Where(kind => kind != Kind.Quit && Stays(kind) != changes))
            {
                try
                {
                    if (!isInState)
                    {
                        await _game.PrepareAsync(state);
                    }

                    var problem = await TestRequestAsync(kind, state, table[(kind, state)]);
                    isInState = problem is null && Stays(kind);
                    problems.AddRange(problem is null ? [] : [problem]);
                }
                catch (ConformanceException unreached)
                {
                    problems.Add($"{kind} in {state}: not tried: {unreached.Message}");
                    isInState = false;
                }
            }

            bool Stays(Kind kind) => table[(kind, state)].After == ConformanceTable.StatusOf(state);
        }

        return problems;
    }

    /// <summary>
    /// Brings the game into a state, sends a sample request, and returns what is wrong with the answer; null if the answer is right.
    /// </summary>
    /// <exception cref="ConformanceException">The game does not reach the state.</exception>
    public async Task<string?> TryAsync(Kind kind, string state, ConformanceRule expected)
    {
        await _game.PrepareAsync(state);
        return await TestRequestAsync(kind, state, expected);
    }

    private async Task<string?> TestRequestAsync(Kind kind, string state, ConformanceRule expected)
    {
        var request = await SampleAsync(kind, state);
        var response = await _game.SendAsync(request);
        var body = (int)response.ResponseCase;
        var typed = body == 0 ? null : Response.Descriptor.FindFieldByNumber(body).MessageType.FindFieldByName("error");
        var error = typed is not null && typed.Accessor.HasValue((IMessage)BodyOf(response));
        var answer = body == 0 ? "refused" : error ? "error" : "ok";
        var code = error ? $" {ErrorName(typed!, response)}" : "";
        var result = new ConformanceAnswer(
            kind, state, $"{answer}{code}, then {ApiState.NameOf(response.Status)}", ConformanceGame.Shorten(response));
        lock (_lock)
        {
            _answers.Add(result);
        }

        return answer != expected.Answer ? $"{kind} in {state}: {answer}, not {expected.Answer}: {ConformanceGame.Shorten(response)}"
            : body != 0 && body != (int)kind ? $"{kind} in {state}: answered as {response.ResponseCase}"
            : (body == 0) != (response.Error.Count > 0) ? $"{kind} in {state}: answer and errors: {ConformanceGame.Shorten(response)}"
            : kind == Kind.Quit ? null
            : response.Id != request.Id ? $"{kind} in {state}: id {response.Id} for {request.Id}"
            : response.Status != expected.After ? $"{kind} in {state}: then {response.Status}, not {expected.After}"
            : null;
    }

    // A number if the proto files lack the error.
    private static object ErrorName(FieldDescriptor field, Response response)
    {
        var number = Convert.ToInt32(field.Accessor.GetValue((IMessage)BodyOf(response)), CultureInfo.InvariantCulture);
        return (object?)field.EnumType.FindValueByNumber(number)?.Name ?? number;
    }

    private static object BodyOf(Response response) =>
        Response.Descriptor.FindFieldByNumber((int)response.ResponseCase).Accessor.GetValue(response);

    private async Task<Request> SampleAsync(Kind kind, string state)
    {
        if (kind is Kind.StartReplay or Kind.ReplayInfo)
        {
            var replay = await StartReplayRequestAsync(state);
            return kind == Kind.StartReplay
                ? new Request { StartReplay = replay }
                : new Request { ReplayInfo = new RequestReplayInfo { ReplayData = replay.ReplayData } };
        }

        return kind switch
        {
            Kind.CreateGame => new Request { CreateGame = await _game.CreateRequestAsync("in_game") },
            Kind.JoinGame => new Request { JoinGame = ConformanceGame.JoinRequest(state) },
            _ => Request.Parser.ParseJson(_samples.GetValueOrDefault(kind)
                ?? $$$"""{"{{{Request.Descriptor.FindFieldByNumber((int)kind).JsonName}}}": {}}"""),
        };
    }

    // The first replay comes from a game that is played for it. This changes the state, so the state is restored afterwards.
    private async Task<RequestStartReplay> StartReplayRequestAsync(string state)
    {
        var hadReplay = _game.HasReplay;
        var replay = await _game.StartReplayRequestAsync();
        if (!hadReplay)
        {
            await _game.PrepareAsync(state);
        }

        return replay;
    }
}
