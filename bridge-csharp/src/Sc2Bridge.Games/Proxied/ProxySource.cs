using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match that an unmodified bot plays. The bot connects as if the bridge were the game. The bridge sends the bot's requests to the game
/// in order and, with few exceptions (<see cref="BotRequestRules"/>), unchanged. Each observation that the bot requests becomes a frame.
/// The bridge requests no observations itself.
/// </summary>
/// <remarks>
/// The bot gets each answer before the agents. In a stepped match, the bot's next step or observation waits until the last frame is
/// published, so the bot waits for agents in lockstep and for the match's rate. In real time, the bot never waits. Agents' requests are
/// sent between the bot's requests, with the bridge's own ids. The bot does not get the answers to agents' requests.
/// </remarks>
public sealed class ProxySource : IGameSource
{
    private readonly MatchSettings _settings;
    private readonly GameOrigin _origin;
    private readonly GameLaunch? _launch;
    private readonly ProxyOptions _options;
    private readonly PlayerSlot _slot;
    private readonly GameClientOptions _clientOptions;
    private readonly ProxiedMatch _match;
    private readonly BotService _service;
    private readonly KeptGame? _kept;
    private GameApiServer? _server;
    private RunningGame? _game;
    private V1.MatchDescription? _description;
    private int _disposed;

    /// <summary>Prepares a match in a game that is started for the match, or in a game that runs already and keeps running.</summary>
    /// <param name="settings">The match.</param>
    /// <param name="origin">The game.</param>
    /// <param name="options">How the bot connects.</param>
    /// <param name="clientOptions">The limits of the game's connection.</param>
    /// <param name="slot">The side that the bot plays; null if the bot plays alone against computers.</param>
    /// <param name="kept">Keeps the game for the next match; null if the game ends with this match.</param>
    public ProxySource(
        MatchSettings settings, GameOrigin origin, ProxyOptions options, GameClientOptions? clientOptions = null,
        PlayerSlot? slot = null, KeptGame? kept = null)
    {
        ArgumentNullException.ThrowIfNull(settings);
        ArgumentNullException.ThrowIfNull(options);
        settings.Validate();
        (_settings, _origin, _launch, _options) = (settings, origin, origin as GameLaunch, options);
        (_slot, _kept) = (slot ?? PlayerSlot.Alone, kept);
        _clientOptions = clientOptions ?? new GameClientOptions();
        _match = new ProxiedMatch(
            options,
            _slot.Shared,
            (game, ct) => MatchSetup.OpenAsync(game, settings, _slot, _launch?.Installation, ct),
            () => _launch?.Installation?.MapFolder);
        _service = new BotService(_match);
    }

    /// <inheritdoc/>
    public event Action<ActionReport> Acted
    {
        add => _match.Acted += value;
        remove => _match.Acted -= value;
    }

    /// <inheritdoc/>
    public V1.MatchDescription Description => _description ?? throw NotStarted();

    /// <inheritdoc/>
    public V1.MatchEnd? End => _match.Frames.End;

    /// <inheritdoc/>
    public Task<GameException> Failed => _match.Frames.Failed;

    /// <summary>The address that the bot must connect to. Known when <see cref="ProxyOptions.OnListening"/> has been called.</summary>
    public GameAddress Address => new(_options.Listen, _server?.Port ?? throw NotStarted());

    /// <summary>The delay that the bridge has added to the bot's requests, by kind.</summary>
    public IReadOnlyList<RequestDelay> Delays => _match.Figures.Summarize();

    /// <summary>The bot's failure that ended the match; null if the bot did not fail.</summary>
    public BotFault? Fault => _match.Frames.Fault;

    /// <summary>The id of the player that the bot plays or observes; null before the bot has joined.</summary>
    public uint? Player => _match.Joined.IsCompletedSuccessfully ? _match.Joined.Result.Perspective : null;

    /// <summary>The times of the bot's newest steps, the oldest first.</summary>
    public IReadOnlyList<BotStep> StepTimes => _match.Times.Steps;

    /// <summary>Starts the game and the server, and waits for the bot to join.</summary>
    /// <exception cref="GameException">The game or the server did not start, or no bot joined in time.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _server = await ListenAsync(cancellationToken);
        _options.Say(
            $"Waiting for a bot at {Address.Api}: start it as a ladder would, with --LadderServer {Address.Host} "
            + $"--GamePort {Address.Port} --StartPort {Address.Port}");
        _options.OnListening(Address);
        _game = await (_kept?.OpenAsync(_origin, _clientOptions, cancellationToken)
            ?? RunningGame.OpenAsync(_origin, _clientOptions, cancellationToken));
        var client = _game.Client;
        var ping = (await client.SendAsync(new Request { Ping = new RequestPing() }, cancellationToken)).Ping;
        await _slot.EnterAsync(client, ping, cancellationToken);
        if (client.Status is Status.InGame or Status.InReplay or Status.Ended)
        {
            // An attached game may still be in an old match. No other client needs that match, because the game serves one client at a time.
            await client.SendAsync(new Request { LeaveGame = new RequestLeaveGame() }, cancellationToken);
        }

        _ = client.Failed.ContinueWith(
            failed => _match.Frames.Fail(failed.Result),
            CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        _match.SetGame(client);
        var joined = await JoinedAsync(cancellationToken);
        _description = Describe(joined, await GameFacts.AskAsync(client, ping, cancellationToken));
        _match.Frames.Realtime = _description.Realtime;
        _match.Begin(_description.MatchId, joined.Perspective);
    }

    /// <inheritdoc/>
    public ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken) =>
        _description is null ? throw NotStarted() : _match.Frames.NextAsync(cancellationToken);

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        RunningGame.AskForAgentAsync(_game, _description, perspective, request, ct);

    /// <summary>
    /// If the match has ended, gives the bot time to leave. Then ends the game if this object started the game. A game that ran already
    /// only leaves its match. A game that is kept for the next match stays as it is.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 1)
        {
            return;
        }

        if (End is { Aborted: false })
        {
            await _service.WhenDisconnectedAsync(_options.LeavePatience);
        }

        _match.Frames.Stop();
        await _service.CloseAsync("the bridge has ended the match");
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        if (_game is not null && _kept is null)
        {
            await _game.DisposeAsync();
        }
    }

    private static InvalidOperationException NotStarted() => new("The match has not been started: call StartAsync first.");

    private async Task<GameApiServer> ListenAsync(CancellationToken ct)
    {
        try
        {
            return await GameApiServer.StartAsync(_service.Begin, _options, _options.Admission, ct);
        }
        catch (Exception failure) when (failure is IOException or ArgumentException)
        {
            var why = failure.GetBaseException().Message.TrimEnd('.');
            throw new GameException(
                $"Bots cannot connect at --api-port {_options.Port} ({why}): "
                + "choose another port, or 0 for any free port.",
                failure);
        }
    }

    private async Task<JoinedBot> JoinedAsync(CancellationToken ct)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var timeout = Task.Delay(_options.Patience, patience.Token);
        var failed = _match.Frames.Failed;
        var first = await Task.WhenAny(_match.Joined, failed, timeout);
        await patience.CancelAsync();
        ct.ThrowIfCancellationRequested();
        if (first == failed)
        {
            throw await failed;
        }

        return first == _match.Joined
            ? await _match.Joined
            : throw new GameException(
                $"No bot {(_service.HasClient ? "joined" : "connected")} at {Address.Api} within "
                + $"{_options.Patience.TotalSeconds:0.#} s: start it with that address, or allow more time with "
                + "--api-deadline.");
    }

    // A bot that creates the match chooses the clock and the seed of the match. Every bot chooses the number of game loops in its steps.
    private V1.MatchDescription Describe(JoinedBot joined, GameFacts facts)
    {
        var description = facts.Describe(_settings, joined.Perspective);
        description.Simulated |= _launch is { Simulated: true };
        description.StepSize = 0;
        if (joined.Created is { } created)
        {
            description.Realtime = created.Realtime;
            description.Rate = created.Realtime ? 0 : description.Rate;
            description.Seed = created.RandomSeed;
        }

        return description;
    }
}
