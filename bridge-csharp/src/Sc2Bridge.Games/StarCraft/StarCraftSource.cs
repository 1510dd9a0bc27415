using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match of StarCraft II, or of the simulated game, which is a process behind a socket just the same: launched or
/// attached to, created, joined (as the player whom agents play, or as an observer of computers), and followed to its
/// end. Where agents play two sides, one of the two: see <see cref="MultiplayerSource"/>.
/// </summary>
/// <remarks>
/// What agents do goes to the game as they are asked for (<see cref="RequestAsync"/>): before the step that is asked
/// for next, which follows without waiting for the answer, so that acting costs a step no round trip. In real time
/// <c>step</c> is illegal; the next observation is asked for with the game loop that it shall wait for, and the game
/// answers in order: what an agent asks or does meanwhile is written at once, so it goes before the next waiting
/// observation, and is answered when the one under way is. The delay is a step at most:
/// <see cref="MatchSettings.StepSize"/> / 22.4 s, 45 ms with steps of one loop.
/// </remarks>
public sealed class StarCraftSource : IGameSource
{
    // Ten times what the simulated game takes for a loop late in a match; StarCraft II is faster.
    private static readonly TimeSpan LoopPatience = TimeSpan.FromMilliseconds(10);

    private readonly MatchSettings _settings;
    private readonly PlayerSlot _seat;
    private readonly GameLaunch? _launch;
    private readonly GameAddress? _address;
    private readonly GameClientOptions _options;
    private RunningGame? _game;
    private V1.MatchDescription? _description;
    private ObservationPoller? _follower;

    /// <summary>A game that is started here, and ended with the match.</summary>
    /// <param name="settings">The match.</param>
    /// <param name="launch">The game.</param>
    /// <param name="options">How its connection is treated.</param>
    /// <param name="seat">Which side of it this is; null where there is but one.</param>
    public StarCraftSource(
        MatchSettings settings, GameLaunch launch, GameClientOptions? options = null, PlayerSlot? seat = null)
        : this(settings, options, seat)
    {
        ArgumentNullException.ThrowIfNull(launch);
        _launch = launch;
    }

    /// <summary>A game that already runs, here or on another machine; it is left running, out of its match.</summary>
    /// <param name="settings">The match.</param>
    /// <param name="address">Where it listens.</param>
    /// <param name="options">How its connection is treated.</param>
    /// <param name="seat">Which side of it this is; null where there is but one.</param>
    public StarCraftSource(
        MatchSettings settings, GameAddress address, GameClientOptions? options = null, PlayerSlot? seat = null)
        : this(settings, options, seat)
    {
        ArgumentNullException.ThrowIfNull(address);
        _address = address;
    }

    private StarCraftSource(MatchSettings settings, GameClientOptions? options, PlayerSlot? seat)
    {
        ArgumentNullException.ThrowIfNull(settings);
        settings.Validate();
        _settings = settings;
        _seat = seat ?? PlayerSlot.Alone;
        options ??= new GameClientOptions();
        _options = _seat.Apply(options) with
        {
            RequestTimeout = options.RequestTimeout + (settings.StepSize * LoopPatience),
        };
    }

    /// <inheritdoc/>
    public V1.MatchDescription Description => _description ?? throw NotStarted();

    /// <inheritdoc/>
    public V1.MatchEnd? End => _follower?.End;

    /// <inheritdoc/>
    public Task<GameException> Failed => _game?.Client.Failed ?? throw NotStarted();

    /// <inheritdoc/>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _game = _launch is not null
            ? await RunningGame.StartAsync(_launch, _options, cancellationToken)
            : await RunningGame.AttachAsync(_address!, _options, cancellationToken);
        _description = await MatchSetup.RunAsync(
            _game.Client, _settings, _seat, _launch?.Installation, _launch?.Simulated ?? false, cancellationToken);
        _follower = new ObservationPoller(
            _game.Client, _settings, _description.MatchId, _description.Perspectives[0]);
    }

    /// <inheritdoc/>
    public ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken) =>
        (_follower ?? throw NotStarted()).NextAsync(cancellationToken);

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        _game is { } game && _description is { } match
            ? game.AskForAgentAsync(match, perspective, request, ct)
            : Task.FromException<Response>(
                new RequestRefusedException(StatusCode.FailedPrecondition, NotStarted().Message));

    /// <summary>Ends the game that was started here; leaves the match of one that was attached to.</summary>
    public ValueTask DisposeAsync() => _game?.DisposeAsync() ?? ValueTask.CompletedTask;

    private static InvalidOperationException NotStarted() => new("The match has not been started.");
}
