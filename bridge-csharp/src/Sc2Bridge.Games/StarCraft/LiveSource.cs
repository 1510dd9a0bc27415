using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A match in a game that the bridge reaches through a socket. This source joins the match and reads every observation until the end.</summary>
/// <param name="origin">The game. A game that this source starts ends with the match. A game that runs already keeps running.</param>
/// <param name="options">The limits of the connection.</param>
/// <param name="kept">Opens the game and keeps it after the match; null if the game ends with the match.</param>
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

    /// <summary>Whether a game that ran already leaves its match when this source ends. If false, the match stays as it is.</summary>
    private protected virtual bool LeavesMatch => true;

    /// <inheritdoc/>
    /// <exception cref="GameException">
    /// The game does not start, nothing listens at the address, or the match cannot be observed.
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
    /// Ends the game if this source started it. A game that ran already keeps running: it leaves the match, or keeps the
    /// match for the next client. A game that is kept for the next match stays as it is.
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
            // Closes the connection first, so that no request to leave the match is sent.
            await _game.Client.DisposeAsync();
        }

        await _game.DisposeAsync();
    }

    /// <summary>Joins the match, so that the first observation can be requested.</summary>
    private protected abstract Task<EnteredMatch> EnterAsync(GameClient client, CancellationToken ct);

    private static InvalidOperationException NotStarted() => new("The match has not been started: call StartAsync first.");

    /// <summary>The match that was entered.</summary>
    /// <param name="Description">The match's description.</param>
    /// <param name="Settings">How the match is observed.</param>
    /// <param name="Perspective">The client's perspective.</param>
    private protected sealed record EnteredMatch(
        V1.MatchDescription Description, MatchSettings Settings, uint Perspective);
}
