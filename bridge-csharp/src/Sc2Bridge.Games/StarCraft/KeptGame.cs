using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>A game that is kept for the next match. If the game fails, a new game is opened.</summary>
public sealed class KeptGame : IAsyncDisposable
{
    private RunningGame? _game;

    /// <summary>Ends the game if this object started it. A game that ran already only leaves its match.</summary>
    public ValueTask DisposeAsync() => _game?.DisposeAsync() ?? ValueTask.CompletedTask;

    /// <summary>The game of the last match, or a new game if there was no match or the last game has failed.</summary>
    /// <exception cref="Streaming.GameException">The game does not start, or nothing listens at the address.</exception>
    internal async Task<RunningGame> OpenAsync(
        GameOrigin origin, GameClientOptions options, CancellationToken ct)
    {
        if (_game is { Client.IsBroken: true })
        {
            await _game.DisposeAsync();
            _game = null;
        }

        return _game ??= await RunningGame.OpenAsync(origin, options, ct);
    }
}
