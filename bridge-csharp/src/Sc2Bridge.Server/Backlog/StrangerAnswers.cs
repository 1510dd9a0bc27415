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
/// Limits the buffered answers to clients without a token. The bridge keeps a request open until at most 64 KiB of
/// the connection's answers are unacknowledged. Only a few answers with content are sent at a time. A client that
/// reads nothing is disconnected.
/// </summary>
internal sealed class StrangerAnswers : IDisposable
{
    /// <summary>The refusal if too many answers wait.</summary>
    public const string BusyMessage = "The bridge sends too many answers to clients without a token: ask again later.";

    private const int MostUnacknowledged = 64 << 10;

    // Each answer may fill its connection's buffer, so only a few answers are sent at a time.
    private const int MostPerAddress = 16;
    private const int MostInTotal = 256;
    private const int MostWaiting = 64;

    private static readonly TimeSpan _firstPoll = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan _longestPoll = TimeSpan.FromMilliseconds(300);

    private readonly TimeSpan _patience;
    private readonly PartitionedRateLimiter<IPAddress> _ofAddress = Limiter(address => address, MostPerAddress);
    private readonly PartitionedRateLimiter<IPAddress> _ofAll = Limiter(_ => IPAddress.Any, MostInTotal);
    private readonly PartitionedRateLimiter<IPAddress> _places;

    /// <param name="patience">How long a client may leave an answer unread.</param>
    public StrangerAnswers(TimeSpan patience) =>
        (_patience, _places) = (patience, PartitionedRateLimiter.CreateChained(_ofAddress, _ofAll));

    /// <summary>Watches the answers to requests without an identity. This must be the first middleware.</summary>
    public void Watch(IApplicationBuilder app) => app.Use(async (http, next) =>
    {
        await next(http);
        await WaitUntilSentAsync(http, Task.CompletedTask);
    });

    /// <summary>Sends an answer with content. Waits while too many other answers are being sent.</summary>
    /// <param name="http">The request.</param>
    /// <param name="sendAsync">Sends the answer to the request.</param>
    /// <returns>False if too many answers already wait. In this case nothing was sent.</returns>
    public async Task<bool> SendAsync(HttpContext http, Func<Task> sendAsync)
    {
        using var place = await _places.AcquireAsync(ClientAddress.Of(http.Connection.RemoteIpAddress), cancellationToken: http.RequestAborted);
        if (place.IsAcquired)
        {
            await WaitUntilSentAsync(http, sendAsync());
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

    // This method also waits after a reset of the stream, because the answer's bytes stay in the connection's buffer.
    private async Task WaitUntilSentAsync(HttpContext http, Task writing)
    {
        if (http.Features.Get<Identity>() is null && !ConnectionLimiter.HasIdentifiedClient(http) && http.Features.Get<SendBacklog>() is { } backlog)
        {
            var (acknowledged, since, poll) = (backlog.AcknowledgedBytes, Environment.TickCount64, _firstPoll);
            while (!writing.IsCompleted || backlog.WrittenBytes - backlog.AcknowledgedBytes > MostUnacknowledged)
            {
                var polling = Task.Delay(poll);
                await (writing.IsCompleted ? polling : Task.WhenAny(writing, polling));
                poll = poll < _longestPoll ? 2 * poll : poll;
                if (backlog.AcknowledgedBytes is var now && now > acknowledged)
                {
                    (acknowledged, since) = (now, Environment.TickCount64);
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
