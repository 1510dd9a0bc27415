using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>Sends agents' requests to the game.</summary>
public interface IGameRequests
{
    /// <summary>Sends one request and returns the game's answer, which may contain errors.</summary>
    /// <param name="perspective">Selects the connection to the game: a player id, or 0 for an observer of all players.</param>
    /// <param name="request">A request that <see cref="CurrentMatch.RequestAsync"/> allows.</param>
    /// <param name="ct">Cancels the wait. The game may still execute the request.</param>
    Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct);
}
