using SC2APIProtocol;

namespace Sc2Bridge.Testing;

/// <summary>A minimal game: a loop counter with the API's states. The test sets its end.</summary>
public sealed class StandInGame
{
    private readonly Lock _lock = new();
    private readonly List<Request> _requests = [];
    private Status _status = Status.Launched;
    private uint _loop;

    /// <summary>Called first, with the loop. If it returns null, the game answers.</summary>
    public Func<Request, uint, Response?>? Override { get; init; }

    /// <summary>The loop at which the game ends with results.</summary>
    public uint EndLoop { get; init; } = uint.MaxValue;

    public string[] LocalMaps { get; init; } = ["Ladder2017Season2/CinderFortressLE.SC2Map", "AbyssalReefLE.SC2Map"];

    public IReadOnlyList<Request> Requests
    {
        get
        {
            lock (_lock)
            {
                return [.. _requests];
            }
        }
    }

    public T Sent<T>(Func<Request, T?> of)
        where T : class => Requests.Select(of).First(found => found is not null)!;

    public static Response Observed(uint loop, Status status = Status.InGame, params PlayerResult[] results) => new()
    {
        Status = status,
        Observation = new ResponseObservation
        {
            Observation = new Observation { GameLoop = loop },
            PlayerResult = { results },
        },
    };

    public static Response Refused(string error, Status status = Status.InGame) =>
        new() { Status = status, Error = { error } };

    public Response? Answer(Request request)
    {
        lock (_lock)
        {
            _requests.Add(request);
            if (request.Step is { } step)
            {
                _loop += step.Count;
            }
            else if (request.Observation is { HasGameLoop: true } waits)
            {
                _loop = Math.Max(_loop, waits.GameLoop);
            }

            return Override?.Invoke(request, _loop) ?? Usual(request);
        }
    }

    private Response Usual(Request request)
    {
        var response = new Response();
        switch (request.RequestCase)
        {
            case Request.RequestOneofCase.Ping:
                response.Ping = new ResponsePing { GameVersion = "5.0", BaseBuild = 99999 };
                break;
            case Request.RequestOneofCase.AvailableMaps:
                response.AvailableMaps = new ResponseAvailableMaps
                {
                    LocalMapPaths = { LocalMaps },
                    BattlenetMapNames = { "Ever Dream LE" },
                };
                break;
            case Request.RequestOneofCase.CreateGame:
                _status = Status.InitGame;
                response.CreateGame = new ResponseCreateGame();
                break;
            case Request.RequestOneofCase.JoinGame:
                _status = Status.InGame;
                response.JoinGame = new ResponseJoinGame { PlayerId = 3 };
                break;
            case Request.RequestOneofCase.StartReplay:
                _status = Status.InReplay;
                response.StartReplay = new ResponseStartReplay();
                break;
            case Request.RequestOneofCase.GameInfo:
                response.GameInfo = new ResponseGameInfo { MapName = "Cinder Fortress LE" };
                break;
            case Request.RequestOneofCase.Data:
                response.Data = new ResponseData();
                break;
            case Request.RequestOneofCase.Step:
                response.Step = new ResponseStep { SimulationLoop = _loop };
                break;
            case Request.RequestOneofCase.Action:
                response.Action = new ResponseAction();
                response.Action.Result.AddRange(request.Action.Actions.Select(_ => ActionResult.Success));
                break;
            case Request.RequestOneofCase.Query:
                response.Query = new ResponseQuery();
                break;
            case Request.RequestOneofCase.LeaveGame:
                _status = Status.Launched;
                response.LeaveGame = new ResponseLeaveGame();
                break;
            case Request.RequestOneofCase.Quit:
                response.Quit = new ResponseQuit();
                break;
            case Request.RequestOneofCase.Observation:
                if (_loop >= EndLoop)
                {
                    _status = Status.Ended;
                    return Observed(
                        EndLoop,
                        _status,
                        new PlayerResult { PlayerId = 2, Result = Result.Defeat },
                        new PlayerResult { PlayerId = 1, Result = Result.Victory });
                }

                return Observed(_loop);
            default:
                return Refused($"{request.RequestCase} is not known here", _status);
        }

        response.Status = _status;
        return response;
    }
}
