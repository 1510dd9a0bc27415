using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A match that is under way in a game which runs already, here or on another machine: followed from where it is, with
/// the eyes of the client that was there before. It is moved on by each step, and left where it is then.
/// </summary>
/// <remarks>
/// The game has one client at a time: the one before has left. Whether it runs on its own clock only its refusal of a
/// step tells, so that a stepped match is one loop further when its first observation is asked for.
/// </remarks>
/// <param name="address">Where the game listens.</param>
/// <param name="options">How its connection is treated.</param>
public sealed class RunningMatchSource(GameAddress address, GameClientOptions? options = null) : IGameSource
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
    /// <exception cref="GameException">Nothing listens there, or the game is in no match.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _game = await RunningGame.AttachAsync(address, options ?? new GameClientOptions(), cancellationToken);
        var client = _game.Client;
        var ping = (await client.SendAsync(new Request { Ping = new RequestPing() }, cancellationToken)).Ping;
        if (client.Status is not (Status.InGame or Status.InReplay))
        {
            throw new GameException(client.Status == Status.Ended
                ? $"The match of the game at {address} is over: start another one in it."
                : $"The game at {address} is in no match ({client.Status}): have a client create and join one, and leave "
                    + "the connection.");
        }

        var settings = new MatchSettings { Rate = await RateAsync(client, cancellationToken) };
        client.Realtime = settings.Rate.Realtime;
        var facts = await GameFacts.AskAsync(client, cancellationToken);
        var observed = await client.SendAsync(
            new Request { Observation = new RequestObservation() }, cancellationToken);
        var perspective = observed.Observation.Observation?.PlayerCommon?.PlayerId ?? 0;
        _description = facts.Describe(settings, perspective, ping);
        _follower = new MatchFollower(client, settings, _description.Match, perspective);
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

    /// <summary>Leaves the connection, and the match to the next client.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_game is not null)
        {
            // Without it the game could not be told to leave the match.
            await _game.Client.DisposeAsync();
            await _game.DisposeAsync();
        }
    }

    private static InvalidOperationException NotStarted() => new("The match has not been found yet.");

    private static async Task<StepRate> RateAsync(GameClient client, CancellationToken ct)
    {
        try
        {
            await client.SendAsync(new Request { Step = new RequestStep { Count = 1 } }, ct);
            return StepRate.Max;
        }
        catch (GameRequestException refused) when (!GameEnding.Says(refused.Errors))
        {
            return StepRate.GameClock;
        }
    }
}
