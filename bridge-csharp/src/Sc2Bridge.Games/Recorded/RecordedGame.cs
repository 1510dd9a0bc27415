using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>
/// Answers requests of the game's API from a recording, in place of the game. The only I/O is reading the file. The client steps through
/// the recorded match, and the client's orders change nothing. Queries get the recorded answers. For a question that was not recorded at the same
/// step, abilities come from a nearby step, and path lengths and placements from the map's grids. A strict game refuses such a query.
/// </summary>
/// <remarks>Answers one request at a time, on one thread at a time.</remarks>
internal sealed class RecordedGame : IDisposable
{
    private readonly PlayableRecording _match;
    private readonly RecordedGameOptions _options;
    private readonly IPlaybackLog _log;
    private readonly RecordedGameRules _rules;
    private RequestCreateGame? _created;
    private RecordedSession? _session;
    private bool _quit;

    /// <summary>Creates the game in the status "launched".</summary>
    /// <param name="match">The recording. The caller disposes it.</param>
    /// <param name="options">How the recording is played.</param>
    /// <param name="log">Logs the client's actions.</param>
    public RecordedGame(PlayableRecording match, RecordedGameOptions options, IPlaybackLog log)
    {
        ArgumentNullException.ThrowIfNull(match);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(log);
        (_match, _options, _log) = (match, options, log);
        _rules = new RecordedGameRules(match, options.Strict, Totals, log.Say);
    }

    /// <summary>Counts the answers by their source.</summary>
    public RequestTotals Totals { get; } = new();

    /// <summary>The game's status; <see cref="Status.Quit"/> after a request to quit.</summary>
    public Status Status => _quit ? Status.Quit
        : _session is { } session ? session.HasEnded ? Status.Ended : Status.InGame
        : _created is null ? Status.Launched : Status.InitGame;

    /// <summary>Answers a request, or returns how long the request must wait for the clock of a real-time game.</summary>
    /// <param name="request">Any request.</param>
    /// <param name="response">Receives the serialized Response. If the request must wait, nothing is written.</param>
    /// <param name="disconnected">Cancelled when the client has disconnected, so that all work for the client ends.</param>
    /// <returns>Null if the request is answered; otherwise the time until the next try.</returns>
    /// <exception cref="OperationCanceledException">The client has disconnected.</exception>
    /// <exception cref="RecordingException">The beginning of the match cannot be read from the file.</exception>
    public TimeSpan? Answer(Request request, IBufferWriter<byte> response, CancellationToken disconnected)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(response);
        try
        {
            _session?.AdvanceToDueLoop(disconnected);
            if (Refusal(request) is { } refusal)
            {
                throw new RefusedException(refusal);
            }

            if (request.RequestCase == Request.RequestOneofCase.Observation)
            {
                return Observe(request, response);
            }

            WriteResponse(request, Answer(request, disconnected), response);
        }
        catch (RefusedException refused)
        {
            Totals.Refused++;
            WriteResponse(request, new Response { Error = { refused.Message } }, response);
        }

        return null;
    }

    /// <inheritdoc/>
    public void Dispose() => _session?.Dispose();

    private string? Refusal(Request request)
    {
        var now = new ClientState(Status, _session?.Realtime == true, _session?.IsObserver == true, false, false, false);
        return _quit ? "The game has quit"
            : RequestRules.Refusal(request.RequestCase, now) ?? RecordedGameRules.Refusal(request);
    }

    private Response Answer(Request request, CancellationToken disconnected) => request.RequestCase switch
    {
        Ping => new Response { Ping = _match.Description.Ping ?? new ResponsePing() },
        AvailableMaps => new Response { AvailableMaps = _rules.Maps() },
        CreateGame => Create(request.CreateGame),
        JoinGame => Join(request.JoinGame),
        RestartGame => Restart(),
        LeaveGame => Leave(),
        Quit => QuitGame(),
        GameInfo => new Response { GameInfo = _session!.GameInfo },
        Data => new Response { Data = DataTables.Select(_match.Data, request.Data) },
        Step => Move(request.Step, disconnected),
        Query => new Response { Query = _rules.Query(_session!, request.Query, disconnected) },
        Request.RequestOneofCase.Action => Act(request.Action),
        Debug => new Response { Debug = new ResponseDebug() },
        QuickSave => QuickSaved(),
        QuickLoad => QuickLoaded(),
        _ => throw new RefusedException("Unknown request"),
    };

    private Response Create(RequestCreateGame request)
    {
        var response = new Response { CreateGame = new ResponseCreateGame() };
        if (CreateRules.Check(request, _match.IsRecordedMap, _match.MapSentence) is { } wrong)
        {
            (response.CreateGame.Error, response.CreateGame.ErrorDetails) = wrong;
            return response;
        }

        EndSession();
        _created = request.Clone();
        return response;
    }

    private Response Join(RequestJoinGame request)
    {
        var response = new Response { JoinGame = new ResponseJoinGame() };
        var perspective = 0u;
        var wrong = JoinRules.Check(request, _created is null ? null : Seats(_created), _match.UnsupportedInterface)
            ?? _match.SelectPerspective(request, _created is not null, out perspective);
        if (wrong is { } refused)
        {
            (response.JoinGame.Error, response.JoinGame.ErrorDetails) = refused;
            return response;
        }

        var observes = request.ParticipationCase == RequestJoinGame.ParticipationOneofCase.ObservedPlayerId;
        var time = _created?.Realtime == true ? _options.Clock : null;
        _session = new RecordedSession(_match, perspective, observes, time, Totals, _log);
        _created = null;
        response.JoinGame.PlayerId = perspective;
        if (_match.DifferingOptions(request.Options).ToList() is { Count: > 0 } differing)
        {
            var names = string.Join(", ", differing);
            _log.Say($"the recording was made with other interface options than the client requests: {names}");
        }

        return response;
    }

    private Response Restart()
    {
        _session!.Restart();
        _rules.ClearTerrain();
        return new Response { RestartGame = new ResponseRestartGame() };
    }

    private Response Leave()
    {
        EndSession();
        return new Response { LeaveGame = new ResponseLeaveGame() };
    }

    private Response QuitGame()
    {
        EndSession();
        _quit = true;
        return new Response { Quit = new ResponseQuit() };
    }

    private void EndSession()
    {
        _session?.Dispose();
        (_created, _session) = (null, null);
        _rules.ClearTerrain();
    }

    private Response Move(RequestStep request, CancellationToken disconnected)
    {
        var position = _session!.Position;
        _session.MoveTo(position.Loop + (request.HasCount ? (long)request.Count : 1), disconnected);
        return new Response { Step = new ResponseStep { SimulationLoop = position.Loop } };
    }

    private Response Act(RequestAction request)
    {
        _session!.AddOrders(request.Actions);
        Totals.Actions += request.Actions.Count;
        var response = new ResponseAction();
        response.Result.AddRange(Enumerable.Repeat(ActionResult.Success, request.Actions.Count));
        return new Response { Action = response };
    }

    private Response QuickSaved()
    {
        _session!.QuickSave();
        return new Response { QuickSave = new ResponseQuickSave() };
    }

    private Response QuickLoaded()
    {
        _session!.QuickLoad();
        _rules.ClearTerrain();
        return new Response { QuickLoad = new ResponseQuickLoad() };
    }

    private TimeSpan? Observe(Request request, IBufferWriter<byte> response)
    {
        var session = _session!;
        if (request.Observation.HasGameLoop && session.TimeUntil(request.Observation.GameLoop) is { } remaining)
        {
            return remaining;
        }

        _rules.CheckFog(request.Observation.DisableFog);
        var observation = session.Position.ReadObservation(session.Results);
        WireWriter.WriteBytes(response, Response.ObservationFieldNumber, observation);
        WriteResponse(request, new Response(), response);
        return null;
    }

    private void WriteResponse(Request request, Response body, IBufferWriter<byte> response)
    {
        if (request.HasId)
        {
            body.Id = request.Id;
        }

        if (!_quit)
        {
            body.Status = Status; // the game never sends the status Quit
        }

        body.WriteTo(response);
    }

    private static GameSeats Seats(RequestCreateGame created) => new(
        created.PlayerSetup.Count(player => player.Type == PlayerType.Participant),
        created.PlayerSetup.Count(player => player.Type != PlayerType.Observer));
}
