using System.Net;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>
/// Bounds the buffered answers to clients without a token. The next request of a connection waits until its answer was acknowledged.
/// Few answers with content are sent at a time. A client that reads nothing is disconnected.
/// </summary>
internal sealed class StrangerAnswers : IDisposable
{
    /// <summary>The refusal if too many answers wait.</summary>
    public const string Busy = "The bridge sends too many answers to clients without a token: ask again later.";

    private const int MostUnacknowledged = 64 << 10;

    // Each answer may fill the buffer of its connection.
    private const int MostOfAddress = 16;
    private const int MostOfAll = 256;
    private const int MostWaiting = 64;

    private static readonly TimeSpan _firstLook = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan _longestLook = TimeSpan.FromMilliseconds(300);

    private readonly TimeSpan _patience;
    private readonly PartitionedRateLimiter<IPAddress> _ofAddress = Limiter(address => address, MostOfAddress);
    private readonly PartitionedRateLimiter<IPAddress> _ofAll = Limiter(_ => IPAddress.Any, MostOfAll);
    private readonly PartitionedRateLimiter<IPAddress> _places;

    /// <param name="patience">How long a client may read nothing of an answer.</param>
    public StrangerAnswers(TimeSpan patience) =>
        (_patience, _places) = (patience, PartitionedRateLimiter.CreateChained(_ofAddress, _ofAll));

    /// <summary>Watches the answers to requests without an identity. It must be the first middleware.</summary>
    public void Watch(IApplicationBuilder app) => app.Use(async (http, next) =>
    {
        await next(http);
        await LeaveAsync(http, Task.CompletedTask);
    });

    /// <summary>Sends an answer with content when there is a place for it.</summary>
    /// <param name="http">The request.</param>
    /// <param name="sendAsync">Sends its answer.</param>
    /// <returns>False if too many answers wait already: nothing was sent.</returns>
    public async Task<bool> SendAsync(HttpContext http, Func<Task> sendAsync)
    {
        using var place = await _places.AcquireAsync(ClientAddress.Of(http.Connection.RemoteIpAddress), cancellationToken: http.RequestAborted);
        if (place.IsAcquired)
        {
            await LeaveAsync(http, sendAsync());
        }

        return place.IsAcquired;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _places.Dispose();
        _ofAddress.Dispose();
        _ofAll.Dispose();
    }

    private static PartitionedRateLimiter<IPAddress> Limiter(Func<IPAddress, IPAddress> keyOf, int most) =>
        PartitionedRateLimiter.Create<IPAddress, IPAddress>(address => RateLimitPartition.GetConcurrencyLimiter(
            keyOf(address), _ => new ConcurrencyLimiterOptions { PermitLimit = most, QueueLimit = MostWaiting }));

    // It also waits after a reset of the stream, because the bytes stay in the connection's buffer.
    private async Task LeaveAsync(HttpContext http, Task writing)
    {
        if (http.Features.Get<Identity>() is null && !ConnectionLimiter.IsKnown(http) && http.Features.Get<SendBacklog>() is { } backlog)
        {
            var (arrived, since, look) = (backlog.Arrived, Environment.TickCount64, _firstLook);
            while (!writing.IsCompleted || backlog.Sent - backlog.Arrived > MostUnacknowledged)
            {
                var looking = Task.Delay(look);
                await (writing.IsCompleted ? looking : Task.WhenAny(writing, looking));
                look = look < _longestLook ? 2 * look : look;
                if (backlog.Arrived is var now && now > arrived)
                {
                    (arrived, since) = (now, Environment.TickCount64);
                }
                else if (Environment.TickCount64 - since > _patience.TotalMilliseconds)
                {
                    http.Features.GetRequiredFeature<IConnectionLifetimeFeature>().Abort();
                    break;
                }
            }
        }

        await writing;
    }
}
