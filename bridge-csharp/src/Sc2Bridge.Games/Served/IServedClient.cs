using System.Net.WebSockets;

namespace Sc2Bridge.Games;

/// <summary>One client of a <see cref="GameApiServer"/>.</summary>
public interface IServedClient
{
    /// <summary>Whether the game has quit, or is gone, by what this client asked.</summary>
    bool EndedGame { get; }

    /// <summary>Serves it until it leaves, asks for something that is no request, or has the game quit.</summary>
    /// <param name="gone">The client has closed its connection; what it sent before can still be read.</param>
    /// <param name="ct">The server stops.</param>
    /// <exception cref="GameFailure">The game failed.</exception>
    /// <exception cref="WebSocketException">The connection broke.</exception>
    /// <exception cref="OperationCanceledException">It was cut.</exception>
    Task ServeAsync(CancellationToken gone, CancellationToken ct);
}
