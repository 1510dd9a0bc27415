using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A match in a game behind a socket: entered, and followed from observation to observation to its end.</summary>
/// <param name="origin">The game: one that is started ends with the match, one that runs already is left running.</param>
/// <param name="options">How the connection is treated.</param>
/// <param name="kept">Opens the game, and has it after this; null where it ends with this.</param>
public abstract class LiveSource(GameOrigin origin, GameClientOptions options, KeptGame? kept = null) : IGameSource
{
    private RunningGame? _game;
    private V1.MatchDescription? _description;
    private ObservationPoller? _poller;

    /// <inheritdoc/>
    public V1.MatchDescription Description => _description ?? throw NotStarted();

    /// <inheritdoc/>
    public V1.MatchEnd? End => _poller?.End;

    /// <inheritdoc/>
    public Task<GameException> Failed => _game?.Client.Failed ?? throw NotStarted();

    /// <summary>Whether an attached game leaves its match where this ends; else the match is left as it is.</summary>
    private protected virtual bool LeavesMatch => true;

    /// <inheritdoc/>
    /// <exception cref="GameException">
    /// The game does not start, nothing listens there, or the match cannot be followed.
    /// </exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _game = await (kept?.OpenAsync(origin, options, cancellationToken)
            ?? RunningGame.OpenAsync(origin, options, cancellationToken));
        var entered = await EnterAsync(_game.Client, cancellationToken);
        _description = entered.Description;
        _poller = new ObservationPoller(_game.Client, entered.Settings, _description.MatchId, entered.Perspective);
    }

    /// <inheritdoc/>
    public ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken) =>
        (_poller ?? throw NotStarted()).NextAsync(cancellationToken);

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        RunningGame.AskForAgentAsync(_game, _description, perspective, request, ct);

    /// <summary>
    /// Ends the game that was started here; leaves one that was attached to, whose match is given up or left to its next
    /// client; leaves one that is kept as it is.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_game is null || kept is not null)
        {
            return;
        }

        if (!LeavesMatch)
        {
            // Without it the game could not be told to leave the match.
            await _game.Client.DisposeAsync();
        }

        await _game.DisposeAsync();
    }

    /// <summary>Comes to where the first observation can be asked for.</summary>
    private protected abstract Task<EnteredMatch> EnterAsync(GameClient client, CancellationToken ct);

    private static InvalidOperationException NotStarted() => new("The match has not been started.");

    /// <summary>The match that was entered.</summary>
    /// <param name="Description">What there is to know of it.</param>
    /// <param name="Settings">How it is followed.</param>
    /// <param name="Perspective">The client's perspective.</param>
    private protected sealed record EnteredMatch(
        V1.MatchDescription Description, MatchSettings Settings, uint Perspective);
}
