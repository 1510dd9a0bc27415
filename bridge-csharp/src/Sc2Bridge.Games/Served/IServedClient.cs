using System.Net.WebSockets;

namespace Sc2Bridge.Games;

/// <summary>One client of a <see cref="GameApiServer"/>.</summary>
public interface IServedClient
{
    /// <summary>Whether this client's requests ended the game.</summary>
    bool HasEndedGame { get; }

    /// <summary>Serves the client until the client leaves, sends bytes that are not a request, or makes the game quit.</summary>
    /// <param name="gone">Cancelled when the client has closed its connection. The client's last requests can still be read.</param>
    /// <param name="ct">Cancelled when the server stops.</param>
    /// <exception cref="GameFailure">The game failed.</exception>
    /// <exception cref="WebSocketException">The connection broke.</exception>
    /// <exception cref="OperationCanceledException">The connection was cut.</exception>
    Task ServeAsync(CancellationToken gone, CancellationToken ct);
}
