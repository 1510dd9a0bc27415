using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The match that runs: its description, requests to its game, and control of its playback. Thread-safe.
/// </summary>
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

    /// <summary>The match that runs; null where none does.</summary>
    internal MatchDescription? Match => _descriptions.Running;

    /// <summary>Bounds the reports of its requests and actions, also if the answer comes after its end.</summary>
    internal RequestBudget Budget => _budget;

    /// <summary>What its agents have drawn.</summary>
    internal Drawings Drawings => _drawings;

    /// <summary>Whether a client may restart the match (<c>ControlRequest.restart</c>).</summary>
    public bool CanRestart => _options.Restarts is not null;

    /// <summary>The match that ended last; null before that.</summary>
    internal MatchDescription? Ended => _descriptions.Ended;

    /// <summary>A match begins. Calls that wait for its description complete with <see cref="Describe"/>.</summary>
    /// <exception cref="InvalidOperationException">The match before has not ended.</exception>
    internal void Open(
        MatchDescription description, IGameRequests requests, IPlayback? playback,
        IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo)
    {
        _descriptions.Open(description, gameInfo);
        _drawings = new Drawings();
        _budget = new RequestBudget();

        // Last: a request of this match must not count for the one before.
        _game = new RunningGame(
            description, requests, playback, description.Perspectives.Distinct().ToDictionary(one => one, _ => new RequestGate(_options.TimeProvider)));
    }

    /// <summary>Completes the calls that wait for the description.</summary>
    internal void Describe() => _descriptions.Tell();

    /// <summary>The match is over; false where none runs.</summary>
    internal bool Close()
    {
        if (!_descriptions.Close())
        {
            return false;
        }

        _game = null;
        _events.End(_budget);
        return true;
    }

    /// <summary>The bridge stops: calls that wait for a match fail with this.</summary>
    internal void Stop(RequestRefusedException why)
    {
        _game = null;
        _descriptions.Stop(why);
    }

    /// <summary>
    /// Describes the running match to an agent, or waits until one runs. The match that ended last can still be described by its name:
    /// its last frames may be read after its end.
    /// </summary>
    /// <param name="request">The match, the perspective whose GameInfo it has, and what is left out.</param>
    /// <param name="identity">What it may ask.</param>
    /// <param name="ct">Gives up waiting.</param>
    /// <exception cref="RequestRefusedException">
    /// NOT_FOUND: another runs. INVALID_ARGUMENT: there is no such perspective. UNAVAILABLE: the bridge stops. UNAUTHENTICATED,
    /// PERMISSION_DENIED: it may not, or wants the GameInfo of another side than its own.
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

        var description = await _descriptions.OfAsync(request, perspective, ct);

        // The match may have begun hours later.
        Permissions.Require(identity, Roles.Watch, "a description", _options.TimeProvider);
        return description;
    }

    /// <summary>The game info of perspectives of a match, if it is another than the description's; none if that match is not the newest.</summary>
    /// <param name="match">Its name.</param>
    public IReadOnlyDictionary<uint, ResponseGameInfo> OtherGameInfo(string match)
    {
        ArgumentNullException.ThrowIfNull(match);
        return _descriptions.OtherGameInfo(match);
    }

    /// <summary>Asks the game on an agent's behalf, also while the hub waits for lockstep agents.</summary>
    /// <param name="request">What to ask; not changed any more. It belongs to its session.</param>
    /// <param name="agent">The name of the subscriber that asks; empty for a client without a subscription.</param>
    /// <param name="identity">What it may ask.</param>
    /// <param name="held">The request's place and memory.</param>
    /// <param name="ct">Gives up waiting.</param>
    /// <exception cref="RequestRefusedException">
    /// The kind is not let through, there is no such match, or the client may not ask that, or not this side.
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
            Require(identity, request);
            uint? asked = request.HasPerspective ? request.Perspective : null;
            record.Perspective = Permissions.Perspective(identity, asked, _options.SidesApart) ?? 0;
            record.Step = _perspectives.NewestStep(record.Perspective);
            record.Response = await AskAsync(request, record.Perspective, identity, held, ct);
            drawings.Done(record);
        }
        catch (Exception refused) when (refused is not OperationCanceledException)
        {
            record.Refusal = refused.Message;
            _events.Answered(budget, request.SessionId, requestedNs, record);
            throw;
        }

        // What is recorded may have to do without the answer.
        var response = record.Response;
        _events.Answered(budget, request.SessionId, requestedNs, record);
        return response;
    }

    /// <summary>
    /// Holds, moves or paces the match that runs, where it is played from a recording; or has it begin again, where it can.
    /// </summary>
    /// <returns>Its state from now on.</returns>
    /// <exception cref="RequestRefusedException">
    /// UNAUTHENTICATED, PERMISSION_DENIED: the client may not. FAILED_PRECONDITION: no match runs, or a live one.
    /// NOT_FOUND: another one. And what the playback refuses.
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

            restarts.Ask(request.Restart);
            return new PlaybackState { MatchId = match?.MatchId ?? "" };
        }

        GameRequestRules.CheckMatch(request.MatchId, match);
        if (request.CommandCase == ControlRequest.CommandOneofCase.Restart)
        {
            throw new RequestRefusedException(
                StatusCode.FailedPrecondition,
                $"match '{match!.MatchId}' does not begin again: only one that was started for that (sc2bridge match --restarts) does");
        }

        return game!.Playback?.Control(request) ?? throw new RequestRefusedException(
            StatusCode.FailedPrecondition,
            $"match '{match!.MatchId}' is not played from a recording: only one that is (sc2bridge replay) can be "
            + "paused, stepped, sought or given another speed");
    }

    private Task<Response> AskAsync(
        CallGameRequest request, uint perspective, Identity identity, HeldRequest held, CancellationToken ct)
    {
        var game = _game;
        GameRequestRules.Check(
            request, perspective, game?.Match, apart: _options.SidesApart || identity.Side is not null, identity.MayNotPlay);
        var (gate, places) = (game!.Gates[perspective], GameRequestRules.PlacesFor(request.Request));
        return held.AskAsync(perspective, places, () => gate.AskAsync(places, identity.MayNotPlay, SendAsync, ct), ct);

        // A request that was sent is not cancelled: the game works on it anyway.
        Task<Response> SendAsync()
        {
            Require(identity, request); // Its token may have expired while it waited.
            return ReferenceEquals(game, _game)
                ? game.Requests.RequestAsync(perspective, request.Request, CancellationToken.None)
                : throw new RequestRefusedException(StatusCode.FailedPrecondition, "the match has ended");
        }
    }

    private void Require(Identity identity, CallGameRequest request) =>
        Permissions.Require(identity, GameRequestRules.RolesFor(request), GameRequestRules.NameOf(request), _options.TimeProvider);

    private sealed record RunningGame(
        MatchDescription Match, IGameRequests Requests, IPlayback? Playback, IReadOnlyDictionary<uint, RequestGate> Gates);
}
