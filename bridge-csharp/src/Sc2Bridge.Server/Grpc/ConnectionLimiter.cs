using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Limits the calls of one connection, per step and per second. The limit is the same as for an agent's messages on a stream.
/// A client that continues to call after <see cref="MessageRateLimiter.Burst"/> refusals loses the connection.
/// </summary>
internal sealed class ConnectionLimiter
{
    private readonly IConnectionLifetimeFeature _connection;
    private readonly ClientLimits _limits;

    private ConnectionLimiter(IConnectionLifetimeFeature connection, ClientLimits limits, ConnectionRequests requests) =>
        (_connection, _limits, Requests) = (connection, limits, requests);

    /// <summary>The connection's requests that are in flight.</summary>
    public ConnectionRequests Requests { get; }

    /// <summary>Whether a client with an identity has made a call on this connection.</summary>
    public static bool HasIdentifiedClient(HttpContext http)
    {
        var items = http.Features.GetRequiredFeature<IConnectionItemsFeature>().Items;
        lock (items)
        {
            return items.ContainsKey(typeof(ConnectionLimiter));
        }
    }

    /// <summary>Returns the limiter of a call's connection.</summary>
    /// <param name="http">The call.</param>
    /// <param name="services">Contains the hub and the limit for the memory of requests.</param>
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
                new ConnectionRequests(services.RequestRoom));
            items[typeof(ConnectionLimiter)] = limiter;
            return limiter;
        }
    }

    /// <summary>
    /// Counts a call. Use this method after the request was read, because a client that is still sending might not get the refusal.
    /// </summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: the limit is exceeded.</exception>
    public void AdmitCall()
    {
        var refused = _limits.CountMessage();
        if (refused == 0)
        {
            return;
        }

        if (refused == MessageRateLimiter.Burst)
        {
            _limits.ReportDisconnect();
            _connection.Abort();
        }

        throw new RequestRefusedException(
            StatusCode.ResourceExhausted,
            $"You exceeded {ClientLimits.LimitText}, on this connection: ask about many places or units in one query.");
    }
}
