using System.Threading.RateLimiting;
using Grpc.Core;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Sc2Bridge.Streaming;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server;

/// <summary>
/// What the calls of one connection may come to, as an agent's messages on a stream: so many upon a step, and in every
/// second. Who goes on calling when it was refused as often again loses the connection.
/// </summary>
internal sealed class ConnectionLimiter : IDisposable
{
    /// <summary>Requests of one connection that wait for the game at a time, as on the WebSocket; others wait for them.</summary>
    public const int MostRequests = 64;

    private readonly IConnectionLifetimeFeature _connection;
    private readonly ClientLimits _limits;
    private readonly ConcurrencyLimiter _requests = new(new ConcurrencyLimiterOptions
    {
        PermitLimit = MostRequests,

        // As many as the connection has streams, which are bounded.
        QueueLimit = int.MaxValue,
    });

    private ConnectionLimiter(IConnectionLifetimeFeature connection, ClientLimits limits) =>
        (_connection, _limits) = (connection, limits);

    /// <summary>That of the connection that a call came on.</summary>
    /// <param name="http">The call.</param>
    /// <param name="hub">What it is about.</param>
    public static ConnectionLimiter Of(HttpContext http, Hub hub)
    {
        var items = http.Features.GetRequiredFeature<IConnectionItemsFeature>().Items;
        lock (items)
        {
            if (items.TryGetValue(typeof(ConnectionLimiter), out var known))
            {
                return (ConnectionLimiter)known!;
            }

            var connection = http.Features.GetRequiredFeature<IConnectionLifetimeFeature>();
            var limiter = new ConnectionLimiter(connection, new ClientLimits(hub, http.Connection));
            connection.ConnectionClosed.UnsafeRegister(static closed => ((ConnectionLimiter)closed!).Dispose(), limiter);
            items[typeof(ConnectionLimiter)] = limiter;
            return limiter;
        }
    }

    /// <summary>A call comes, and was read: a client that still sends might not hear why it is refused.</summary>
    /// <exception cref="RpcException">RESOURCE_EXHAUSTED: it is one too many.</exception>
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

        throw new RpcException(new Status(
            StatusCode.ResourceExhausted,
            $"{ClientLimits.TooMuch}, came on this connection: ask about many places or units in one query."));
    }

    /// <summary>Waits until fewer than <see cref="MostRequests"/> of the connection's wait for the game.</summary>
    /// <returns>To be disposed when the game has answered.</returns>
    public ValueTask<RateLimitLease> TakeTurnAsync(CancellationToken ct) => _requests.AcquireAsync(1, ct);

    /// <inheritdoc/>
    public void Dispose() => _requests.Dispose();
}
