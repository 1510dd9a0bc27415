using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A match in a game that runs already and is somebody else's: the game is left, and not ended.</summary>
/// <param name="address">Where the game listens.</param>
/// <param name="options">How its connection is treated; null for the usual.</param>
public abstract class AttachedSource(GameAddress address, GameClientOptions? options) : IGameSource
{
    private RunningGame? _game;
    private V1.MatchDescription? _description;
    private ObservationPoller? _follower;

    /// <inheritdoc/>
    public V1.MatchDescription Description => _description ?? throw NotStarted();

    /// <inheritdoc/>
    public V1.MatchEnd? End => _follower?.End;

    /// <inheritdoc/>
    public Task<GameException> Failed => _game?.Client.Failed ?? throw NotStarted();

    /// <summary>Where the game listens.</summary>
    private protected GameAddress Address => address;

    /// <summary>Whether the match is given up where this ends; else it is left as it is.</summary>
    private protected abstract bool GivesUp { get; }

    /// <inheritdoc/>
    /// <exception cref="GameException">Nothing listens there, or the match cannot be followed.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _game = await RunningGame.AttachAsync(address, options ?? new GameClientOptions(), cancellationToken);
        var entered = await EnterAsync(_game.Client, cancellationToken);
        _description = entered.Description;
        _follower = new ObservationPoller(_game.Client, entered.Settings, _description.MatchId, entered.Perspective);
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

    /// <summary>Leaves the game; the match is given up, or left to its next client.</summary>
    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_game is null)
        {
            return;
        }

        if (!GivesUp)
        {
            // Without it the game could not be told to leave the match.
            await _game.Client.DisposeAsync();
        }

        await _game.DisposeAsync();
    }

    /// <summary>Comes to where the first observation can be asked for.</summary>
    private protected abstract Task<EnteredMatch> EnterAsync(GameClient client, CancellationToken ct);

    private static InvalidOperationException NotStarted() => new("The match has not been entered.");

    /// <summary>The match that was entered.</summary>
    /// <param name="Description">What there is to know of it.</param>
    /// <param name="Settings">How it is followed.</param>
    /// <param name="Perspective">With whose eyes.</param>
    private protected sealed record EnteredMatch(
        V1.MatchDescription Description, MatchSettings Settings, uint Perspective);
}
