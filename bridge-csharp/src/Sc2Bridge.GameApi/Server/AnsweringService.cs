using System.Net.WebSockets;

namespace Sc2Bridge.GameApi;

/// <summary>Serves clients with what answers requests one at a time.</summary>
/// <param name="game">Answers; disposed with this.</param>
internal sealed class AnsweringService(IRequestHandler game) : IGameService
{
    /// <inheritdoc/>
    public Task Failure => game.Failure;

    /// <inheritdoc/>
    public IServedClient Begin(WebSocket socket) => new GameApiClient(socket, game);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => game.DisposeAsync();
}
