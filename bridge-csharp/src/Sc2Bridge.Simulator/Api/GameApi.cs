using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.World;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Simulator.Api;

/// <summary>
/// The game's side of its API without any I/O: a request in, its response out. Errors come as the game gives them: a
/// typed one inside the response of creating, joining and replays, else the list of errors and no body; a request that
/// failed leaves the state as it was.
/// </summary>
/// <remarks>Not for two threads at once.</remarks>
public sealed class GameApi
{
    /// <summary>The version that Ping answers: no real game names itself like this.</summary>
    public const string GameVersion = "5.0.14.simulated";

    private const double LoopsASecond = 22.4;
    private readonly SimulatorOptions _options;
    private readonly ObservationFolder? _folder;
    private readonly WireWriter _wire = new();
    private RequestCreateGame? _created;
    private GameMap? _map;
    private InterfaceOptions _interface = new();
    private GameWorld? _world;
    private ObservationWriter? _observer;
    private int _perspective;
    private long _started;
    private bool _folderEnded;

    /// <summary>A game that was just launched.</summary>
    /// <param name="options">How.</param>
    /// <exception cref="ArgumentException">The folder of observations cannot be used.</exception>
    public GameApi(SimulatorOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options;
        _folder = options.ObservationFolder is { } folder
            ? ObservationFolder.Read(folder, options.RepeatObservations)
            : null;
    }

    /// <summary>The state; <see cref="Status.Quit"/> once the game was told to quit.</summary>
    public Status Status { get; private set; } = Status.Launched;

    /// <summary>The world, while there is a game.</summary>
    internal GameWorld? World => _world;

    /// <summary>Answers a request.</summary>
    /// <param name="request">Any.</param>
    public Response Handle(Request request)
    {
        var bytes = new ArrayBufferWriter<byte>();
        Handle(request, bytes);
        return Response.Parser.ParseFrom(bytes.WrittenSpan);
    }

    /// <summary>
    /// Answers a request with the response's bytes; an observation goes there without being made into an object.
    /// </summary>
    /// <param name="request">Any.</param>
    /// <param name="response">Takes the serialized Response.</param>
    /// <param name="ct">Ends a step of many loops after one of them.</param>
    /// <exception cref="OperationCanceledException">It ended a step.</exception>
    public void Handle(Request request, IBufferWriter<byte> response, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        Response body;
        try
        {
            CatchUp(ct);
            var refusal = Refusals.Of(request.RequestCase, Status, IsRealtime);
            if (refusal is null && request.RequestCase == Request.RequestOneofCase.Observation)
            {
                WriteObservation(request, response);
                return;
            }

            body = refusal is null ? Answer(request, ct) : Error(refusal);
        }
        catch (RefusedException refused)
        {
            body = Error(refused.Message);
        }

        if (request.HasId)
        {
            body.Id = request.Id;
        }

        if (request.RequestCase != Request.RequestOneofCase.Quit || Status != Status.Quit)
        {
            body.Status = Status; // "the quit status is never sent"
        }

        body.WriteTo(response);
    }

    /// <summary>
    /// Game loops until the request may be answered: in real time an observation waits for its game_loop.
    /// </summary>
    /// <param name="request">Any.</param>
    /// <returns>How long to wait before <see cref="Handle(Request)"/>; zero for every other request.</returns>
    public TimeSpan Wait(Request request)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.Observation is not { HasGameLoop: true } observation || Status != Status.InGame || !IsRealtime)
        {
            return TimeSpan.Zero;
        }

        var due = Math.Min(observation.GameLoop, _options.LongestMatch) / LoopsASecond;
        var left = TimeSpan.FromSeconds(due) - _options.Clock.GetElapsedTime(_started);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private bool IsRealtime => _created?.Realtime == true;

    private Response Answer(Request request, CancellationToken ct) => request.RequestCase switch
    {
        Ping => new Response
        {
            Ping = new ResponsePing
            {
                GameVersion = GameVersion,
                DataVersion = "SIMULATED",
                DataBuild = 0,
                BaseBuild = 0,
            },
        },
        AvailableMaps => new Response { AvailableMaps = Maps() },
        CreateGame => Create(request.CreateGame),
        JoinGame => Join(request.JoinGame),
        RestartGame => Restart(),
        LeaveGame => Leave(),
        Quit => QuitGame(),
        GameInfo => new Response { GameInfo = GameInfoMaker.Make(_world!, _perspective, _interface) },
        Data => new Response { Data = GameDataMaker.Make(request.Data) },
        Step => StepBy(request.Step, ct),
        Query => new Response { Query = QueryAnswers.Answer(_world!, request.Query) },
        ObsAction => new Response { ObsAction = new ResponseObserverAction() },
        Request.RequestOneofCase.Action =>
            throw new RefusedException("Observers cannot act: this client joined as an observer."),
        StartReplay => new Response
        {
            StartReplay = new ResponseStartReplay
            {
                Error = ResponseStartReplay.Types.Error.InvalidReplayData,
                ErrorDetails = "The simulated game does not read replays.",
            },
        },
        ReplayInfo => new Response
        {
            ReplayInfo = new ResponseReplayInfo
            {
                Error = ResponseReplayInfo.Types.Error.ParsingError,
                ErrorDetails = "The simulated game does not read replays.",
            },
        },
        SaveReplay => throw new RefusedException("Could not save the replay: the simulated game has none."),
        SaveMap => throw new RefusedException("Could not save the map: the simulated game has its own."),
        MapCommand => new Response
        {
            MapCommand = new ResponseMapCommand
            {
                Error = ResponseMapCommand.Types.Error.NoTriggerError,
                ErrorDetails = $"The map has no trigger {request.MapCommand.TriggerCmd}.",
            },
        },
        Debug => throw new RefusedException("Debug commands are not supported by the simulated game."),
        QuickSave or QuickLoad => throw new RefusedException("Quick save is not supported by the simulated game."),
        _ => throw new RefusedException("Unknown request."),
    };

    private static Response Error(string message)
    {
        var response = new Response();
        response.Error.Add(message);
        return response;
    }

    private static ResponseAvailableMaps Maps()
    {
        var maps = new ResponseAvailableMaps();
        maps.LocalMapPaths.AddRange(MapDescription.All.Select(m => m.FileName));
        maps.BattlenetMapNames.AddRange(MapDescription.All.Select(m => m.Name));
        return maps;
    }

    private Response Create(RequestCreateGame request)
    {
        var (error, details, map) = CreateCheck.Check(request);
        var response = new Response { CreateGame = new ResponseCreateGame() };
        if (error is { } wrong)
        {
            response.CreateGame.Error = wrong;
            response.CreateGame.ErrorDetails = details;
            return response;
        }

        (_created, _map) = (request.Clone(), map);
        Forget();
        Status = Status.InitGame;
        return response;
    }

    private Response Join(RequestJoinGame request)
    {
        var response = new Response { JoinGame = new ResponseJoinGame() };
        if (CreateCheck.CheckJoin(request, _created) is { } wrong)
        {
            response.JoinGame.Error = wrong.Error;
            response.JoinGame.ErrorDetails = wrong.Details;
            return response;
        }

        _interface = request.Options.Clone();
        _perspective = (int)request.ObservedPlayerId;
        Begin();
        response.JoinGame.PlayerId = request.ObservedPlayerId;
        return response;
    }

    private void Begin()
    {
        var players = CreateCheck.Computers(_created!)
            .Select(p => new PlayerSpec(p.Race, p.HasDifficulty ? p.Difficulty : Difficulty.VeryEasy, p.PlayerName))
            .ToArray();
        _world = new GameWorld(_map!, players, _created!.RandomSeed);
        _observer = new ObservationWriter(_world);
        _folder?.Rewind();
        _folderEnded = false;
        _started = _options.Clock.GetTimestamp();
        Status = Status.InGame;
    }

    private Response Restart()
    {
        Begin();
        return new Response { RestartGame = new ResponseRestartGame() };
    }

    private Response Leave()
    {
        Forget();
        _created = null;
        Status = Status.Launched;
        return new Response { LeaveGame = new ResponseLeaveGame() };
    }

    private void Forget() => (_world, _observer) = (null, null);

    private Response QuitGame()
    {
        Status = Status.Quit;
        return new Response { Quit = new ResponseQuit() };
    }

    private Response StepBy(RequestStep request, CancellationToken ct)
    {
        Play(request.HasCount ? request.Count : 1, ct);
        return new Response { Step = new ResponseStep { SimulationLoop = (uint)_world!.Loop } };
    }

    private void Play(long loops, CancellationToken ct)
    {
        var world = _world!;
        for (; loops > 0 && Status == Status.InGame; loops--)
        {
            ct.ThrowIfCancellationRequested();
            world.Step();
            if (world.Loop >= _options.LongestMatch)
            {
                world.EndInTie();
            }

            if (world.Ended)
            {
                Status = Status.Ended;
            }
        }
    }

    /// <summary>In real time: plays the loops that the clock says are gone.</summary>
    private void CatchUp(CancellationToken ct)
    {
        if (Status == Status.InGame && IsRealtime)
        {
            // A hundredth of a loop forward: a wait that ends on the very loop must not fall short of it by rounding.
            var due = (long)((_options.Clock.GetElapsedTime(_started).TotalSeconds * LoopsASecond) + 0.01);
            Play(due - _world!.Loop, ct);
        }
    }

    private void WriteObservation(Request request, IBufferWriter<byte> response)
    {
        if (_folderEnded)
        {
            Status = Status.Ended;
        }

        var disableFog = request.Observation.DisableFog || _created!.DisableFog;
        _wire.Clear();
        if (_folder is not null)
        {
            _wire.Bytes(10, _folder.Next());
            _folderEnded = _folder.Done;
            Status = _folderEnded ? Status.Ended : Status;
        }
        else
        {
            _wire.Bytes(10, _observer!.Write(_perspective, _interface, disableFog));
        }

        if (request.HasId)
        {
            _wire.UInt(97, request.Id);
        }

        _wire.UInt(99, (ulong)Status);
        response.Write(_wire.Written);
    }
}
