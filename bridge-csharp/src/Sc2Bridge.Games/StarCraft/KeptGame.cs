using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>A game that stays for the next match, and is opened anew where it has failed.</summary>
public sealed class KeptGame : IAsyncDisposable
{
    private RunningGame? _game;

    /// <summary>Ends the game, as at a match's end.</summary>
    public ValueTask DisposeAsync() => _game?.DisposeAsync() ?? ValueTask.CompletedTask;

    /// <summary>The game of the match before; another one where there is none, or it has failed.</summary>
    /// <exception cref="Streaming.GameException">It does not start, or nothing listens there.</exception>
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
