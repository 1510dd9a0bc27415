using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using static SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>
/// The game's side of its API in front of a recording, without any I/O but the file's: a request in, its response out.
/// The recorded match goes on as the client steps, whatever it orders. What was recorded is answered so; ways and
/// placements that were not are answered from the map's grids, unless it is strict; the rest is refused.
/// </summary>
/// <remarks>One request at a time; not for two threads at once.</remarks>
internal sealed class RecordedGame : IDisposable
{
    private readonly PlayableRecording _match;
    private readonly RecordedGameOptions _options;
    private readonly IPlaybackLog _log;
    private readonly RecordedGameRules _rules;
    private RequestCreateGame? _created;
    private RecordedSession? _session;
    private bool _quit;

    /// <summary>A game that was just launched.</summary>
    /// <param name="match">What it plays; the caller disposes it.</param>
    /// <param name="options">How.</param>
    /// <param name="log">Is told what the client does.</param>
    public RecordedGame(PlayableRecording match, RecordedGameOptions options, IPlaybackLog log)
    {
        ArgumentNullException.ThrowIfNull(match);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(log);
        (_match, _options, _log) = (match, options, log);
        _rules = new RecordedGameRules(match, options.Strict, Totals, log.Say);
    }

    /// <summary>What was answered from where.</summary>
    public RequestTotals Totals { get; } = new();

    /// <summary>The state; <see cref="Status.Quit"/> once the game was told to quit.</summary>
    public Status Status => _quit ? Status.Quit
        : _session is { } session ? session.Ended ? Status.Ended : Status.InGame
        : _created is null ? Status.Launched : Status.InitGame;

    /// <summary>Answers a request, or says how long it has to wait for the clock of a real-time game.</summary>
    /// <param name="request">Any.</param>
    /// <param name="response">Takes the serialized Response; nothing where it has to wait.</param>
    /// <param name="left">The client has gone: nothing is played or reckoned for it any more.</param>
    /// <returns>Null where it is answered; else when it is to be asked again.</returns>
    /// <exception cref="OperationCanceledException">It has gone meanwhile.</exception>
    /// <exception cref="RecordingException">The file cannot be read where the match begins.</exception>
    public TimeSpan? Answer(Request request, IBufferWriter<byte> response, CancellationToken left)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(response);
        try
        {
            _session?.Advance(left);
            if (Refusal(request) is { } refusal)
            {
                throw new RefusedException(refusal);
            }

            if (request.RequestCase == Request.RequestOneofCase.Observation)
            {
                return Observe(request, response);
            }

            Finish(request, Answer(request, left), response);
        }
        catch (RefusedException refused)
        {
            Totals.Refused++;
            Finish(request, new Response { Error = { refused.Message } }, response);
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

    private Response Answer(Request request, CancellationToken left) => request.RequestCase switch
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
        Step => Move(request.Step, left),
        Query => new Response { Query = _rules.Query(_session!, request.Query, left) },
        Request.RequestOneofCase.Action => Act(request.Action),
        Debug => new Response { Debug = new ResponseDebug() },
        QuickSave => QuickSaved(),
        QuickLoad => QuickLoaded(),
        _ => throw new RefusedException("Unknown request"),
    };

    private Response Create(RequestCreateGame request)
    {
        var response = new Response { CreateGame = new ResponseCreateGame() };
        if (CreateRules.Check(request, _match.IsMap, _match.KnownMap) is { } wrong)
        {
            (response.CreateGame.Error, response.CreateGame.ErrorDetails) = wrong;
            return response;
        }

        End();
        _created = request.Clone();
        return response;
    }

    private Response Join(RequestJoinGame request)
    {
        var response = new Response { JoinGame = new ResponseJoinGame() };
        var perspective = 0u;
        var wrong = JoinRules.Check(request, _created is null ? null : Seats(_created), _match.Unsupported)
            ?? _match.Seat(request, _created is not null, out perspective);
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
        if (_match.Differing(request.Options).ToList() is { Count: > 0 } other)
        {
            var names = string.Join(", ", other);
            _log.Say($"the recording was made with other options than the client asks for: {names}");
        }

        return response;
    }

    private Response Restart()
    {
        _session!.Restart();
        _rules.Forget();
        return new Response { RestartGame = new ResponseRestartGame() };
    }

    private Response Leave()
    {
        End();
        return new Response { LeaveGame = new ResponseLeaveGame() };
    }

    private Response QuitGame()
    {
        End();
        _quit = true;
        return new Response { Quit = new ResponseQuit() };
    }

    private void End()
    {
        _session?.Dispose();
        (_created, _session) = (null, null);
        _rules.Forget();
    }

    private Response Move(RequestStep request, CancellationToken left)
    {
        var position = _session!.Position;
        _session.MoveTo(position.Loop + (request.HasCount ? (long)request.Count : 1), left);
        return new Response { Step = new ResponseStep { SimulationLoop = position.Loop } };
    }

    private Response Act(RequestAction request)
    {
        _session!.Order(request.Actions);
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
        _rules.Forget();
        return new Response { QuickLoad = new ResponseQuickLoad() };
    }

    private TimeSpan? Observe(Request request, IBufferWriter<byte> response)
    {
        var session = _session!;
        if (request.Observation.HasGameLoop && session.Until(request.Observation.GameLoop) is { } rest)
        {
            return rest;
        }

        _rules.CheckFog(request.Observation.DisableFog);
        var observation = session.Position.Give(session.Results);
        WireWriter.WriteBytes(response, Response.ObservationFieldNumber, observation);
        Finish(request, new Response(), response);
        return null;
    }

    private void Finish(Request request, Response body, IBufferWriter<byte> response)
    {
        if (request.HasId)
        {
            body.Id = request.Id;
        }

        if (!_quit)
        {
            body.Status = Status; // "the quit status is never sent"
        }

        body.WriteTo(response);
    }

    private static GameSeats Seats(RequestCreateGame created) => new(
        created.PlayerSetup.Count(player => player.Type == PlayerType.Participant),
        created.PlayerSetup.Count(player => player.Type != PlayerType.Observer));
}
