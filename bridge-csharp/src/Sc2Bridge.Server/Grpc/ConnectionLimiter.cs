using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Limits the calls of one connection, as an agent's messages on a stream are limited: so many for each step, and in
/// every second. A client that goes on calling after as many refusals loses the connection.
/// </summary>
internal sealed class ConnectionLimiter
{
    private readonly IConnectionLifetimeFeature _connection;
    private readonly ClientLimits _limits;

    private ConnectionLimiter(IConnectionLifetimeFeature connection, ClientLimits limits, ConnectionRequests requests) =>
        (_connection, _limits, Requests) = (connection, limits, requests);

    /// <summary>The connection's requests that are in flight.</summary>
    public ConnectionRequests Requests { get; }

    /// <summary>Whether a client with an identity has called on this connection.</summary>
    public static bool IsKnown(HttpContext http)
    {
        var items = http.Features.GetRequiredFeature<IConnectionItemsFeature>().Items;
        lock (items)
        {
            return items.ContainsKey(typeof(ConnectionLimiter));
        }
    }

    /// <summary>The limiter of a call's connection.</summary>
    /// <param name="http">The call.</param>
    /// <param name="services">The hub and the memory of requests.</param>
    public static ConnectionLimiter Of(HttpContext http, SessionServices services)
    {
        var items = http.Features.GetRequiredFeature<IConnectionItemsFeature>().Items;
        lock (items)
        {
            if (items.TryGetValue(typeof(ConnectionLimiter), out var known))
            {
                return (ConnectionLimiter)known!;
            }

            var connection = http.Features.GetRequiredFeature<IConnectionLifetimeFeature>();
            var limiter = new ConnectionLimiter(
                connection,
                new ClientLimits(services.Hub, http.Connection.RemoteIpAddress, http.Connection.RemotePort),
                new ConnectionRequests(services.Room));
            items[typeof(ConnectionLimiter)] = limiter;
            return limiter;
        }
    }

    /// <summary>
    /// Counts a call. To be called after its request was read: a client that still sends might not get the refusal.
    /// </summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it is one too many.</exception>
    public void Admit()
    {
        var refused = _limits.Take();
        if (refused == 0)
        {
            return;
        }

        if (refused == MessageRateLimiter.Burst)
        {
            _limits.CutOff();
            _connection.Abort();
        }

        throw new RequestRefusedException(
            StatusCode.ResourceExhausted,
            $"{ClientLimits.TooMuch}, came on this connection: ask about many places or units in one query.");
    }
}
