using SC2APIProtocol;

namespace Sc2Bridge.Streaming;

/// <summary>Asks the game on an agent's behalf.</summary>
public interface IGameRequests
{
    /// <summary>Sends one request and returns the game's answer, errors included.</summary>
    /// <param name="perspective">Whose connection to the game it goes over: a player id, 0 for an observer of
    /// all.</param>
    /// <param name="request">One of the kinds that <see cref="CurrentMatch.RequestAsync"/> lets through.</param>
    /// <param name="ct">Gives up waiting; the game may have acted all the same.</param>
    Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct);
}
