using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>The match that runs: its description, requests to its game, and control of its playback. Thread-safe.</summary>
public sealed class CurrentMatch
{
    private readonly PublishedPerspectives _perspectives;
    private readonly HubEvents _events;
    private readonly HubOptions _options;
    private readonly MatchDescriptions _descriptions = new();
    private volatile RequestBudget _budget = new();
    private volatile Drawings _drawings = new();
    private volatile RunningGame? _game;

    internal CurrentMatch(PublishedPerspectives perspectives, HubEvents events, HubOptions options) =>
        (_perspectives, _events, _options) = (perspectives, events, options);

    /// <summary>The running match; null if no match runs.</summary>
    internal MatchDescription? Match => _descriptions.Running;

    /// <summary>Limits the bytes that the match's requests and actions add to its recording, also after the match's end.</summary>
    internal RequestBudget RecordingBudget => _budget;

    /// <summary>What the match's agents have drawn.</summary>
    internal Drawings Drawings => _drawings;

    /// <summary>Whether a client may restart the match (<c>ControlRequest.restart</c>).</summary>
    public bool CanRestart => _options.Restarts is not null;

    /// <summary>The match that ended last; null if no match has ended.</summary>
    internal MatchDescription? LastEnded => _descriptions.LastEnded;

    /// <summary>Starts a match. Calls that wait for its description complete at <see cref="AnnounceDescription"/>.</summary>
    /// <exception cref="InvalidOperationException">The previous match has not ended.</exception>
    internal void Open(
        MatchDescription description, IGameRequests requests, IPlayback? playback,
        IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo)
    {
        _descriptions.Open(description, gameInfo);
        _drawings = new Drawings();
        _budget = new RequestBudget();

        // The game is set after the budget, because a request to this match must not count against the budget of the previous match.
        _game = new RunningGame(
            description, requests, playback, description.Perspectives.Distinct().ToDictionary(side => side, _ => new RequestGate(_options.TimeProvider)));
    }

    /// <summary>Completes the calls that wait for the description.</summary>
    internal void AnnounceDescription() => _descriptions.Announce();

    /// <summary>Ends the match; false if no match runs.</summary>
    internal bool Close()
    {
        if (!_descriptions.Close())
        {
            return false;
        }

        _game = null;
        _events.ReportOmitted(_budget);
        return true;
    }

    /// <summary>Called when the bridge stops: calls that wait for a match fail with this error.</summary>
    internal void Stop(RequestRefusedException why)
    {
        _game = null;
        _descriptions.Stop(why);
    }

    /// <summary>
    /// Returns the description of the running match, or waits until a match runs. A client can still request the last
    /// match by its name, because the client may read the last frames after the match has ended.
    /// </summary>
    /// <param name="request">The match, the perspective whose GameInfo is wanted, and what to leave out.</param>
    /// <param name="identity">The client.</param>
    /// <param name="ct">Cancels the wait.</param>
    /// <exception cref="RequestRefusedException">
    /// NOT_FOUND: another match runs. INVALID_ARGUMENT: the match does not have this perspective. UNAVAILABLE: the bridge
    /// stops. UNAUTHENTICATED, PERMISSION_DENIED: the client may not watch, or asks for the GameInfo of another side.
    /// </exception>
    public async Task<MatchDescription> DescribeAsync(DescribeRequest request, Identity identity, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(identity);
        Permissions.Require(identity, Roles.Watch, "a description", _options.TimeProvider);
        uint? perspective = request.HasPerspective ? request.Perspective : null;
        if (!request.WithoutGameInfo)
        {
            perspective = Permissions.Perspective(identity, perspective, _options.SidesApart);
        }

        var description = await _descriptions.DescribeAsync(request, perspective, ct);

        // The wait for the match may have taken hours, and the token may have expired.
        Permissions.Require(identity, Roles.Watch, "a description", _options.TimeProvider);
        return description;
    }

    /// <summary>
    /// The game info of each perspective whose game info differs from the description's. Empty if the match is neither the
    /// running match nor the last one.
    /// </summary>
    /// <param name="match">The match's name.</param>
    public IReadOnlyDictionary<uint, ResponseGameInfo> OtherGameInfo(string match)
    {
        ArgumentNullException.ThrowIfNull(match);
        return _descriptions.OtherGameInfo(match);
    }

    /// <summary>Sends an agent's request to the game, even while the hub waits for lockstep agents.</summary>
    /// <param name="request">The request, with its session. The caller must no longer change it.</param>
    /// <param name="agent">The subscriber's name; empty for a client without a subscription.</param>
    /// <param name="identity">The client.</param>
    /// <param name="held">What the request holds until it is answered: a slot among the agents' open requests, and bytes of memory.</param>
    /// <param name="ct">Cancels the wait.</param>
    /// <exception cref="RequestRefusedException">
    /// This kind of request is not allowed, the match does not run, or the client may not send the request to this side.
    /// </exception>
    public async Task<Response> RequestAsync(
        CallGameRequest request, string agent, Identity identity, HeldRequest held, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(identity);
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(agent);
        ArgumentNullException.ThrowIfNull(held);
        var (requestedNs, budget, drawings) = (MonotonicClock.NowNs, _budget, _drawings);
        var record = new RequestRecord
        {
            Step = _perspectives.NewestStep(request.Perspective),
            Agent = agent,
            Perspective = request.Perspective,
            Request = request.Request,
        };
        try
        {
            RequirePermission(identity, request);
            uint? asked = request.HasPerspective ? request.Perspective : null;
            record.Perspective = Permissions.Perspective(identity, asked, _options.SidesApart) ?? 0;
            record.Step = _perspectives.NewestStep(record.Perspective);
            record.Response = await SendToGameAsync(request, record.Perspective, identity, held, ct);
            drawings.OnAnswered(record);
        }
        catch (Exception refused) when (refused is not OperationCanceledException)
        {
            record.Refusal = refused.Message;
            _events.RaiseRequested(budget, request.SessionId, requestedNs, record);
            throw;
        }

        // The answer is read first, because the budget may remove it from the record.
        var response = record.Response;
        _events.RaiseRequested(budget, request.SessionId, requestedNs, record);
        return response;
    }

    /// <summary>
    /// Pauses, seeks or changes the speed of the running match if it is played from a recording. Restarts the match if
    /// it was started with --restarts.
    /// </summary>
    /// <returns>The state after the command.</returns>
    /// <exception cref="RequestRefusedException">
    /// UNAUTHENTICATED, PERMISSION_DENIED: the client may not control the match. FAILED_PRECONDITION: no match runs, or
    /// the match is live. NOT_FOUND: another match runs. The playback's own errors are thrown too.
    /// </exception>
    public PlaybackState Control(ControlRequest request, Identity identity)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(identity);
        Permissions.Require(identity, Roles.Control, "the control of a match", _options.TimeProvider);
        var game = _game;
        var match = game?.Match;
        if (request.CommandCase == ControlRequest.CommandOneofCase.Restart && _options.Restarts is { } restarts)
        {
            if (request.MatchId.Length > 0)
            {
                GameRequestRules.CheckMatch(request.MatchId, match);
            }

            restarts.Enqueue(request.Restart);
            return new PlaybackState { MatchId = match?.MatchId ?? "" };
        }

        GameRequestRules.CheckMatch(request.MatchId, match);
        if (request.CommandCase == ControlRequest.CommandOneofCase.Restart)
        {
            throw new RequestRefusedException(
                StatusCode.FailedPrecondition,
                $"match '{match!.MatchId}' cannot be restarted: start matches with sc2bridge match --restarts to allow that");
        }

        return game!.Playback?.Control(request) ?? throw new RequestRefusedException(
            StatusCode.FailedPrecondition,
            $"match '{match!.MatchId}' is not played from a recording: only a playback (sc2bridge replay) can be "
            + "paused, stepped, moved, or set to another speed");
    }

    private Task<Response> SendToGameAsync(
        CallGameRequest request, uint perspective, Identity identity, HeldRequest held, CancellationToken ct)
    {
        var game = _game;
        GameRequestRules.Check(
            request, perspective, game?.Match, sidesApart: _options.SidesApart || identity.Side is not null, identity.LacksPlayRole);
        var (gate, placeCount) = (game!.Gates[perspective], GameRequestRules.PlacesFor(request.Request));
        return held.SendAsync(perspective, placeCount, () => gate.AskAsync(placeCount, identity.LacksPlayRole, SendAsync, ct), ct);

        // A request that was already sent is not cancelled, because the game processes it anyway.
        Task<Response> SendAsync()
        {
            RequirePermission(identity, request); // The client's token may have expired while the request waited.
            return ReferenceEquals(game, _game)
                ? game.Requests.RequestAsync(perspective, request.Request, CancellationToken.None)
                : throw new RequestRefusedException(StatusCode.FailedPrecondition, "the match has ended");
        }
    }

    private void RequirePermission(Identity identity, CallGameRequest request) =>
        Permissions.Require(identity, GameRequestRules.RolesFor(request), GameRequestRules.NameOf(request), _options.TimeProvider);

    private sealed record RunningGame(
        MatchDescription Match, IGameRequests Requests, IPlayback? Playback, IReadOnlyDictionary<uint, RequestGate> Gates);
}
