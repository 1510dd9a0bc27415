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
    private readonly GameOrigin _origin;
    private readonly GameLaunch? _launch;
    private readonly ProxyOptions _options;
    private readonly PlayerSlot _slot;
    private readonly GameClientOptions _clientOptions;
    private readonly ProxiedMatch _match;
    private readonly BotService _service;
    private GameApiServer? _server;
    private RunningGame? _game;
    private V1.MatchDescription? _description;
    private int _disposed;

    /// <summary>A match in a game that is started and ends with the match, or in one that runs already and is left running.</summary>
    /// <param name="settings">The match.</param>
    /// <param name="origin">The game.</param>
    /// <param name="options">How the bot is let in.</param>
    /// <param name="clientOptions">How the game's connection is treated.</param>
    /// <param name="slot">Which side of the match the bot plays; null where it is alone against computers.</param>
    public ProxySource(
        MatchSettings settings, GameOrigin origin, ProxyOptions options, GameClientOptions? clientOptions = null,
        PlayerSlot? slot = null)
    {
        ArgumentNullException.ThrowIfNull(settings);
        ArgumentNullException.ThrowIfNull(options);
        settings.Validate();
        (_settings, _origin, _launch, _options) = (settings, origin, origin as GameLaunch, options);
        _slot = slot ?? PlayerSlot.Alone;
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
        _options.Listens(Address);
        _game = await RunningGame.OpenAsync(_origin, _clientOptions, cancellationToken);
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
            return await GameApiServer.StartAsync(_service.Begin, _options, _options.Admission, ct);
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

    // A bot that creates the match chooses its clock and its seed. Every bot chooses its own steps.
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
