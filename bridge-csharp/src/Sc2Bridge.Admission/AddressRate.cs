using System.Net;
using System.Threading.RateLimiting;

namespace Sc2Bridge.Admission;

/// <summary>Limits the bytes, messages or new subscriptions of each client address per second. Calls over the limit wait in order. Thread-safe.</summary>
public sealed class AddressRate : IDisposable
{
    private readonly PartitionedRateLimiter<IPAddress> _limiter;
    private readonly int _perSecond;

    // The limiter adds permits in short periods. Each period releases several waiting calls together.
    internal AddressRate(int perSecond, int burst)
    {
        _perSecond = perSecond;
        var tokensPerPeriod = Math.Max(1, perSecond / 50);
        _limiter = PartitionedRateLimiter.Create<IPAddress, IPAddress>(address => RateLimitPartition.GetTokenBucketLimiter(
            address,
            _ => new TokenBucketRateLimiterOptions
            {
                TokenLimit = Math.Max(tokensPerPeriod, burst),
                TokensPerPeriod = tokensPerPeriod,
                ReplenishmentPeriod = TimeSpan.FromSeconds((double)tokensPerPeriod / perSecond),
                QueueLimit = int.MaxValue,
            }));
    }

    /// <summary>
    /// Waits until the client's address may send one more message or begin one more subscription. Returns at once if
    /// the address is below its rate.
    /// </summary>
    /// <param name="remote">The client's address; null on a Unix socket.</param>
    /// <param name="ct">Cancels the wait.</param>
    public ValueTask WaitAsync(IPAddress? remote, CancellationToken ct) => WaitAsync(ClientAddress.Of(remote), 1, ct);

    /// <inheritdoc/>
    public void Dispose() => _limiter.Dispose();

    /// <summary>Waits until the rate allows <paramref name="count"/> more bytes, messages or subscriptions of an address.</summary>
    internal ValueTask WaitAsync(IPAddress address, long count, CancellationToken ct)
    {
        var permits = (int)Math.Min(count, _perSecond);
        using var lease = _limiter.AttemptAcquire(address, permits);
        return lease.IsAcquired ? ValueTask.CompletedTask : QueueAsync(address, permits, ct);
    }

    private async ValueTask QueueAsync(IPAddress address, int count, CancellationToken ct)
    {
        using var lease = await _limiter.AcquireAsync(address, count, ct).ConfigureAwait(false);
    }
}
