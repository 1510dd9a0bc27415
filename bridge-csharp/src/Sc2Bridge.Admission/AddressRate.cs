using System.Net;
using System.Threading.RateLimiting;

namespace Sc2Bridge.Admission;

/// <summary>How much of something each address may send in a second; what is over it waits, in its order. Thread-safe.</summary>
public sealed class AddressRate : IDisposable
{
    private readonly PartitionedRateLimiter<IPAddress> _limiter;
    private readonly int _perSecond;

    // Tokens are refilled in short periods, so waiting calls are released together.
    internal AddressRate(int perSecond, int atOnce)
    {
        _perSecond = perSecond;
        var share = Math.Max(1, perSecond / 50);
        _limiter = PartitionedRateLimiter.Create<IPAddress, IPAddress>(address => RateLimitPartition.GetTokenBucketLimiter(
            address,
            _ => new TokenBucketRateLimiterOptions
            {
                TokenLimit = Math.Max(share, atOnce),
                TokensPerPeriod = share,
                ReplenishmentPeriod = TimeSpan.FromSeconds((double)share / perSecond),
                QueueLimit = int.MaxValue,
            }));
    }

    /// <summary>Waits until one more of the client's address may be handled; returns at once below the rate.</summary>
    /// <param name="remote">The address; null on a Unix socket.</param>
    /// <param name="ct">Gives up.</param>
    public ValueTask WaitAsync(IPAddress? remote, CancellationToken ct) => WaitAsync(ClientAddress.Of(remote), 1, ct);

    /// <inheritdoc/>
    public void Dispose() => _limiter.Dispose();

    /// <summary>The same for several of an address that was counted by <see cref="ClientAddress"/>.</summary>
    internal ValueTask WaitAsync(IPAddress counted, long count, CancellationToken ct)
    {
        var most = (int)Math.Min(count, _perSecond);
        using var lease = _limiter.AttemptAcquire(counted, most);
        return lease.IsAcquired ? ValueTask.CompletedTask : QueueAsync(counted, most, ct);
    }

    private async ValueTask QueueAsync(IPAddress counted, int count, CancellationToken ct)
    {
        using var lease = await _limiter.AcquireAsync(counted, count, ct).ConfigureAwait(false);
    }
}
