using System.Buffers;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.Multiplayer;
using Sc2Bridge.Simulator.Observing;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Simulator.Api;

/// <summary>
/// The game's side of its API, without I/O: it gets a request and returns the response. Errors are reported as in the game.
/// Creating, joining and replays have a typed error in their response. Other failures have a list of errors and no body. A
/// request that fails does not change the state.
/// </summary>
/// <remarks>
/// <see cref="Begin"/> starts a request and <see cref="TryFinish"/> answers it when possible. If a request waits for
/// the clock or for another process, call <see cref="TryFinish"/> again after <see cref="WakeIn"/>, or when
/// <see cref="Link"/> has received something. One request at a time. Not thread-safe.
/// </remarks>
public sealed class SimulatedGame
{
    /// <summary>The default data version in the response to Ping.</summary>
    public const string UsualDataVersion = "SIMULATED";

    /// <summary>The names of the available maps.</summary>
    public static IReadOnlyList<string> Maps { get; } = [.. MapSketches.All.Where(map => map.Melee).Select(map => map.Name)];

    private readonly SimulatorOptions _options;
    private readonly ObservationFolder? _folder;
    private Session? _shown;
    private readonly IGameFiles _files;
    private readonly Lobby _lobby;
    private readonly WireWriter _wire = new(MessageBuffer.Rent());
    private Request _request = new();
    private CancellationToken _left;
    private Func<Response?>? _finish;
    private long _awaited;
    private bool _quit;

    /// <summary>Creates a game in the state <c>launched</c>.</summary>
    /// <param name="options">How the game is started.</param>
    /// <exception cref="ArgumentException">The folder of observations cannot be used.</exception>
    public SimulatedGame(SimulatorOptions options)
        : this(options, new GameFiles(options ?? throw new ArgumentNullException(nameof(options))))
    {
    }

    internal SimulatedGame(SimulatorOptions options, IGameFiles files)
    {
        (_options, _files, _lobby) = (options, files, new Lobby(options));
        _folder = options.ObservationFolder is { } folder ? ObservationFolder.Read(folder, options.RepeatObservations) : null;
    }

    /// <summary>The status. <see cref="Status.Quit"/> after a request to quit.</summary>
    public Status Status => _quit ? Status.Quit
        : _lobby.Session?.Status ?? (_lobby.Draft is null ? Status.Launched : Status.InitGame);

    /// <summary>The test that a debug command requested for the process itself, or null. The caller carries it out.</summary>
    public DebugTestProcess? ProcessTest { get; private set; }

    /// <summary>How long the current request may still wait for the clock. Null if it does not wait for the clock.</summary>
    public TimeSpan? WakeIn => _lobby.Session?.Until(_awaited);

    /// <summary>This end of a game of two processes, which the caller connects. Null in other games.</summary>
    internal PeerLink? Link => _lobby.Link;

    /// <summary>The current match, or null.</summary>
    internal Match? Match => _lobby.Session?.Match;

    /// <summary>Observes the current match without a message. Like a request for an observation, this clears the events since the last one.</summary>
    /// <param name="state">Receives what the player observes.</param>
    public void Observe(ObservedState state) => (_lobby.Session ?? throw new InvalidOperationException("There is no match.")).Observe(state);

    /// <summary>Answers a request that need not wait.</summary>
    /// <param name="request">The request.</param>
    /// <exception cref="InvalidOperationException">The request has to wait, for the clock or for another process.</exception>
    public Response Handle(Request request)
    {
        var bytes = new ArrayBufferWriter<byte>();
        Handle(request, bytes);
        return Response.Parser.ParseFrom(bytes.WrittenSpan);
    }

    /// <summary>Answers a request that need not wait.</summary>
    /// <param name="request">The request.</param>
    /// <param name="response">Receives the serialized Response. An observation is written without creating a message
    /// object.</param>
    /// <exception cref="InvalidOperationException">The request has to wait, for the clock or for another process.</exception>
    public void Handle(Request request, IBufferWriter<byte> response)
    {
        Begin(request);
        if (!TryFinish(response))
        {
            throw new InvalidOperationException($"{request.RequestCase} has to wait.");
        }
    }

    /// <summary>Starts a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="left">Cancelled when the client disconnects. Then no more loops are played for it, and the caller must
    /// call <see cref="Abandon"/>.</param>
    /// <exception cref="OperationCanceledException">The client disconnected while a saved game was loaded or queries were
    /// answered.</exception>
    public void Begin(Request request, CancellationToken left = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        (_request, _left) = (request, left);
        Advance();
        _awaited = _lobby.Session?.Match.World.Loop + 1 ?? 0;
        try
        {
            if (Refuse() is { } refusal)
            {
                throw new RefusedException(refusal);
            }

            _finish = Start();
        }
        catch (RefusedException refused)
        {
            var error = new Response { Error = { refused.Message } };
            _finish = () => error;
        }
    }

    /// <summary>Answers the current request if that is possible now.</summary>
    /// <param name="response">Receives the serialized Response.</param>
    /// <returns>Whether it was answered.</returns>
    public bool TryFinish(IBufferWriter<byte> response)
    {
        ArgumentNullException.ThrowIfNull(response);
        Advance();
        if (_finish is null)
        {
            if (!_lobby.Session!.Reached(_awaited))
            {
                return false;
            }

            WriteObservation(response);
            _left = default;
            return true;
        }

        if (_finish() is not { } body)
        {
            return false;
        }

        if (_request.HasId)
        {
            body.Id = _request.Id;
        }

        if (_lobby.Session?.TakeWarning() is { } warning)
        {
            body.Error.Add(warning);
        }

        if (!_quit)
        {
            body.Status = Status; // "the quit status is never sent"
        }

        Google.Protobuf.MessageExtensions.WriteTo(body, response);
        _left = default;
        return true;
    }

    /// <summary>Advances a match that runs in real time or that another process waits for.</summary>
    public void Advance() => _lobby.Session?.Advance(_left);

    /// <summary>Abandons the current request, because its client has disconnected.</summary>
    public void Abandon()
    {
        _left = default;
        _lobby.Abandon();
    }

    private GameVersion Version => new(_options.BaseBuild, _options.DataVersion);

    private string? Refuse()
    {
        if (_quit)
        {
            return "The game has quit";
        }

        var now = _lobby.Session?.ClientState ?? new ClientState { Status = Status };
        if (_lobby.Session is { Ending.StatusIsLate: true, Match.World.Ended: true } session
            && _request.RequestCase is not (Ping or Quit or AvailableMaps or SaveMap or ReplayInfo or LeaveGame))
        {
            session.Ending.Refuse();
            return RequestRules.Ended;
        }

        return RequestRules.Refusal(_request.RequestCase, now);
    }

    // Null for an observation, which is written to the wire directly.
    private Func<Response?>? Start()
    {
        if (_request.RequestCase == Request.RequestOneofCase.Observation)
        {
            var waits = _request.Observation.HasGameLoop && _lobby.Session!.Realtime;
            _awaited = waits ? Math.Min(_request.Observation.GameLoop, _options.LongestMatch) : 0;
            return null;
        }

        if (_request.RequestCase == JoinGame)
        {
            return _lobby.Join(_request.JoinGame);
        }

        if (_request.RequestCase == Step)
        {
            var session = _lobby.Session!;
            session.Grant(_request.Step.HasCount ? _request.Step.Count : 1);
            _awaited = session.Granted;
            return () => session.Reached(_awaited)
                ? new Response { Step = new ResponseStep { SimulationLoop = (uint)session.Match.World.Loop } }
                : null;
        }

        var answer = Answer();
        return () => answer;
    }

    private ResponseData MakeData()
    {
        var data = GameDataMaker.Make(_request.Data);
        return _options.Build?.Limit(data) ?? data;
    }

    private Response Answer() => _request.RequestCase switch
    {
        Ping => new Response
        {
            Ping = new ResponsePing
            {
                GameVersion = Version.Name,
                DataVersion = _options.DataVersion,
                DataBuild = _options.BaseBuild,
                BaseBuild = _options.BaseBuild,
            },
        },
        AvailableMaps => new Response { AvailableMaps = SimulatedMaps.List() },
        SaveMap => new Response { SaveMap = SimulatedMaps.Save(_request.SaveMap) },
        CreateGame => _lobby.Create(_request.CreateGame),
        RestartGame => _lobby.Restart(),
        LeaveGame => _lobby.Leave(),
        StartReplay => new Response
        {
            StartReplay = ReplayHandler.Start(_request.StartReplay, _files, _lobby, Version),
        },
        ReplayInfo => new Response { ReplayInfo = ReplayHandler.Describe(_request.ReplayInfo, _files) },
        SaveReplay => new Response { SaveReplay = ReplayHandler.Save(_lobby.Session!, Version) },
        Quit => QuitGame(),
        GameInfo => new Response { GameInfo = GameInfoMaker.Make(_lobby.Session!) },
        Data => new Response { Data = MakeData() },
        Query => new Response { Query = QueryHandler.Answer(_lobby.Session!, _request.Query, _left) },
        Request.RequestOneofCase.Action => new Response { Action = ClientActions.Act(_lobby.Session!, _request.Action) },
        ObsAction => new Response { ObsAction = ClientActions.Look(_lobby.Session!, _request.ObsAction) },
        MapCommand => new Response
        {
            MapCommand = new ResponseMapCommand
            {
                Error = ResponseMapCommand.Types.Error.NoTriggerError,
                ErrorDetails = $"The map has no trigger '{_request.MapCommand.TriggerCmd}'.",
            },
        },
        Debug => new Response { Debug = DebugAll(_request.Debug) },
        QuickSave => SaveQuickly(_lobby.Session!),
        QuickLoad => LoadQuickly(_lobby.Session!),
        _ => throw new RefusedException("Unknown request"),
    };

    private Response QuitGame()
    {
        _lobby.Leave();
        _quit = true;
        return new Response { Quit = new ResponseQuit() };
    }

    private ResponseDebug DebugAll(RequestDebug request)
    {
        ProcessTest = request.Debug.Select(command => command.TestProcess).FirstOrDefault(test => test is not null);
        return ClientActions.Debug(_lobby.Session!, request);
    }

    private Response SaveQuickly(Session session)
    {
        session.QuickSave();
        RewindFor(session);
        _folder?.Save();
        return new Response { QuickSave = new ResponseQuickSave() };
    }

    private Response LoadQuickly(Session session)
    {
        session.QuickLoad();
        _folder?.Load();
        return new Response { QuickLoad = new ResponseQuickLoad() };
    }

    // Each match starts with the first observation of the folder.
    private void RewindFor(Session session)
    {
        if (!ReferenceEquals(_shown, session))
        {
            _shown = session;
            _folder?.Rewind();
        }
    }

    private void WriteObservation(IBufferWriter<byte> response)
    {
        var session = _lobby.Session!;
        _wire.Buffer.Clear();
        if (_folder is not null && session.Replay is null)
        {
            RewindFor(session);
            _wire.Bytes(10, _folder.Next());
            if (_folder.Done)
            {
                session.Match.World.EndInTie();
            }
        }
        else
        {
            _wire.Bytes(10, session.Observe(_request.Observation.DisableFog));
        }

        if (_request.HasId)
        {
            _wire.Number(97, _request.Id);
        }

        if (session.TakeWarning() is { } warning)
        {
            _wire.Bytes(98, System.Text.Encoding.UTF8.GetBytes(warning));
        }

        _wire.Number(99, (ulong)Status);
        response.Write(_wire.Buffer.Written.Span);
    }
}
