using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match that an unmodified bot plays, which connects as if the bridge were the game: every request goes on to the
/// game as it stands and in order, and each observation that the bot asks for is a frame. The bridge asks for none itself.
/// </summary>
/// <remarks>
/// The bot has each answer before anybody else. In a stepped match its next step or observation waits until the frame
/// before it is published, hence for agents in lockstep and for the match's rate; in real time nothing waits. What
/// agents ask goes between the bot's requests, with ids of the bridge's own, and its answers to them alone.
/// </remarks>
public sealed class ProxySource : IGameSource
{
    private readonly MatchSettings _settings;
    private readonly GameLaunch? _launch;
    private readonly GameAddress? _address;
    private readonly ProxyOptions _options;
    private readonly PlayerSlot _slot;
    private readonly GameClientOptions _clientOptions;
    private readonly ProxiedMatch _match;
    private readonly BotService _service;
    private GameApiServer? _server;
    private RunningGame? _game;
    private V1.MatchDescription? _description;
    private int _disposed;

    /// <summary>A game that is started here, and ended with the match.</summary>
    /// <param name="settings">The match.</param>
    /// <param name="launch">The game.</param>
    /// <param name="options">How the bot is let in.</param>
    /// <param name="clientOptions">How the game's connection is treated.</param>
    /// <param name="slot">Which side of the match the bot plays; null where it is alone against computers.</param>
    public ProxySource(
        MatchSettings settings, GameLaunch launch, ProxyOptions options, GameClientOptions? clientOptions = null,
        PlayerSlot? slot = null)
        : this(settings, options, clientOptions, slot)
    {
        ArgumentNullException.ThrowIfNull(launch);
        _launch = launch;
    }

    /// <summary>A game that already runs, here or on another machine; it is left running, out of its match.</summary>
    public ProxySource(
        MatchSettings settings, GameAddress address, ProxyOptions options, GameClientOptions? clientOptions = null)
        : this(settings, options, clientOptions, slot: null)
    {
        ArgumentNullException.ThrowIfNull(address);
        _address = address;
    }

    private ProxySource(
        MatchSettings settings, ProxyOptions options, GameClientOptions? clientOptions, PlayerSlot? slot)
    {
        ArgumentNullException.ThrowIfNull(settings);
        ArgumentNullException.ThrowIfNull(options);
        settings.Validate();
        _settings = settings;
        _options = options;
        _slot = slot ?? PlayerSlot.Alone;
        _clientOptions = _slot.Apply(clientOptions ?? new GameClientOptions());
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
        add => _match.ActionLog.Acted += value;
        remove => _match.ActionLog.Acted -= value;
    }

    /// <inheritdoc/>
    public V1.MatchDescription Description => _description ?? throw NotStarted();

    /// <inheritdoc/>
    public V1.MatchEnd? End => _match.Frames.End;

    /// <inheritdoc/>
    public Task<GameException> Failed => _match.Frames.Failed;

    /// <summary>Where the bot connects; known once <see cref="StartAsync"/> has said it.</summary>
    public GameAddress Address => new(_options.Listen, _server?.Port ?? throw NotStarted());

    /// <summary>What was added to the bot's requests so far, by kind.</summary>
    public IReadOnlyList<RequestDelay> Delays => _match.Figures.Summarize();

    /// <summary>Starts the game and the server end, and waits for the bot to join.</summary>
    /// <exception cref="GameException">The game or the server end did not start, or no bot joined in time.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _server = await ListenAsync(cancellationToken);
        _options.Say(
            $"Waiting for a bot at {Address.Api}: start it as a ladder would, with --LadderServer {Address.Host} "
            + $"--GamePort {Address.Port} --StartPort {Address.Port}");
        _game = await RunningGame.OpenAsync(_launch, _address, _clientOptions, cancellationToken);
        var client = _game.Client;
        var ping = (await client.SendAsync(new Request { Ping = new RequestPing() }, cancellationToken)).Ping;
        await _slot.EnterAsync(client, ping, cancellationToken);
        if (client.Status is Status.InGame or Status.InReplay or Status.Ended)
        {
            // An attached game in a match that nobody follows any more: one client at a time is all it takes.
            await client.SendAsync(new Request { LeaveGame = new RequestLeaveGame() }, cancellationToken);
        }

        _ = client.Failed.ContinueWith(
            failed => _match.Frames.Fail(failed.Result),
            CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        _match.Open(client);
        var joined = await JoinedAsync(cancellationToken);
        var (gameInfo, data) = await GameFacts.AskAsync(client, cancellationToken);
        _description = Describe(joined, ping, gameInfo, data);
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
    /// Lets the bot leave where the match has ended; then ends the game that was started here, or leaves the match of
    /// one that was attached to.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 1)
        {
            return;
        }

        if (End is { Aborted: false })
        {
            await _service.WhenAloneAsync(_options.LeavePatience);
        }

        _match.Frames.Stop();
        await _service.CloseAsync("the bridge has ended the match");
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        if (_game is not null)
        {
            await _game.DisposeAsync();
        }
    }

    private static InvalidOperationException NotStarted() => new("The match has not been started.");

    private async Task<GameApiServer> ListenAsync(CancellationToken ct)
    {
        try
        {
            return await GameApiServer.StartAsync(_service, _options, ct);
        }
        catch (Exception failure) when (failure is IOException or ArgumentException)
        {
            var why = failure.GetBaseException().Message.TrimEnd('.');
            throw new GameException(
                $"Bots cannot be let in at --api-port {_options.Port} ({why}): "
                + "choose another, or 0 for one that is free.",
                failure);
        }
    }

    private async Task<JoinedBot> JoinedAsync(CancellationToken ct)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var late = Task.Delay(_options.Patience, patience.Token);
        var failed = _match.Frames.Failed;
        var first = await Task.WhenAny(_match.Joined, failed, late);
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
                + $"{_options.Patience.TotalSeconds:0.#} s: start it with that address, or give it longer with "
                + "--api-deadline.");
    }

    private V1.MatchDescription Describe(
        JoinedBot joined, ResponsePing ping, ResponseGameInfo gameInfo, ResponseData data)
    {
        // What the bot has created itself holds, whatever the bridge was asked for.
        var realtime = joined.Created?.Realtime ?? _settings.Rate.Realtime;
        var description = new V1.MatchDescription
        {
            MatchId = _settings.Match,
            MapName = gameInfo.MapName,
            Perspectives = { joined.Perspective },
            Rate = realtime ? 0 : _settings.Rate.Hz,
            Realtime = realtime,
            Simulated = (_launch?.Simulated ?? false) || GameFacts.IsSimulated(ping),
            Seed = joined.Created?.RandomSeed ?? _settings.Seed ?? 0,
            ClockId = ClockId.Read(),
            GameInfo = gameInfo,
            Data = data,
            Ping = ping,
        };
        description.Players.Add(GameFacts.Players(gameInfo.PlayerInfo, V1.PlayerKind.Api));

        return description;
    }
}
