using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match that a ladder manager has created, joined as its arguments say and played by agents. The game is the manager's:
/// it is left, and not ended.
/// </summary>
/// <param name="seat">Where to join.</param>
/// <param name="settings">The step size, the clock and what observations hold; the rest is the manager's.</param>
/// <param name="options">How to treat the connection.</param>
public sealed class LadderSource(LadderSeat seat, MatchSettings settings, GameClientOptions? options = null) : IGameSource
{
    private RunningGame? _game;
    private V1.MatchDescription? _description;
    private MatchFollower? _follower;

    /// <inheritdoc/>
    public V1.MatchDescription Description => _description ?? throw NotStarted();

    /// <inheritdoc/>
    public V1.MatchEnd? End => _follower?.End;

    /// <inheritdoc/>
    public Task<GameException> Failed => _game?.Client.Failed ?? throw NotStarted();

    /// <inheritdoc/>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _game = await RunningGame.AttachAsync(seat.Game, options ?? new GameClientOptions(), cancellationToken);
        var client = _game.Client;

        // The first that a ladder expects of a bot.
        var join = new Request { JoinGame = seat.Join(settings.Interface.ToOptions()) };
        var playerId = (await client.SendAsync(join, cancellationToken)).JoinGame.PlayerId;
        client.Realtime = settings.Rate.Realtime;
        var ping = (await client.SendAsync(new Request { Ping = new RequestPing() }, cancellationToken)).Ping;
        _description = Describe(playerId, ping, await GameFacts.AskAsync(client, cancellationToken));
        _follower = new MatchFollower(client, settings, _description.Match, playerId);
    }

    /// <inheritdoc/>
    public ValueTask<Frame?> NextAsync(CancellationToken cancellationToken) =>
        (_follower ?? throw NotStarted()).NextAsync(cancellationToken);

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        _game is { } game && _description is { } match
            ? game.AskForAgentAsync(match, perspective, request, ct)
            : Task.FromException<Response>(
                new RequestRefusedException(StatusCode.FailedPrecondition, NotStarted().Message));

    /// <summary>Gives the match up where it has not ended; else the connection ends with it.</summary>
    /// <remarks>
    /// Bots on ladders go when they have heard their result, as cpp-sc2's do; python-sc2's proxy never answers one that
    /// leaves an ended match.
    /// </remarks>
    public async ValueTask DisposeAsync()
    {
        if (_game is null)
        {
            return;
        }

        if (End is not null)
        {
            await _game.Client.DisposeAsync();
        }

        await _game.DisposeAsync();
    }

    private static InvalidOperationException NotStarted() => new("The match has not been joined.");

    private V1.MatchDescription Describe(uint playerId, ResponsePing ping, GameFacts facts)
    {
        var description = facts.Describe(settings, playerId, ping);
        foreach (var player in description.Players)
        {
            if (player.PlayerId == playerId)
            {
                player.Kind = "agent";
            }
            else if (seat.OpponentId.Length > 0)
            {
                player.Name = seat.OpponentId;
            }
        }

        return description;
    }
}
