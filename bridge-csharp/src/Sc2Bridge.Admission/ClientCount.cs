using System.Net;
using System.Threading.RateLimiting;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>Counts something of all clients and of each address. Thread-safe.</summary>
internal sealed class ClientCount : IDisposable
{
    private readonly PartitionedRateLimiter<IPAddress> _all;
    private readonly PartitionedRateLimiter<IPAddress> _each;
    private readonly Func<IPAddress, bool, Refusal> _refuse;

    /// <param name="what">In the plural.</param>
    /// <param name="flag">The limit's, without <c>--max-</c>.</param>
    /// <param name="most">The most in total.</param>
    /// <param name="mostPerAddress">The most of one address; null: all for this machine, half for others.</param>
    public ClientCount(string what, string flag, int most, int? mostPerAddress)
    {
        int MostOf(IPAddress one) => mostPerAddress ?? (IPAddress.IsLoopback(one) ? most : most / 2);
        _all = Limiter(_ => IPAddress.Any, _ => most);
        _each = Limiter(address => address, MostOf);
        _refuse = (address, isFull) => isFull
            ? new(what, $"The bridge has its most {what}, {most} (--max-{flag})")
            : new(
                $"{what}-per-address",
                $"{address} has the most {what} of one address, {MostOf(address)} (max-{flag}-per-address)");
    }

    /// <summary>Counts one more.</summary>
    /// <param name="address">Whose it is.</param>
    /// <param name="refusal">Why it may not; null if it may.</param>
    /// <returns>To be disposed when it has ended; null if it is refused.</returns>
    public IDisposable? Enter(IPAddress address, out Refusal? refusal)
    {
        // Not a chain of both: it does not report which of them refused.
        var ofAll = _all.AttemptAcquire(address);
        var own = ofAll.IsAcquired ? _each.AttemptAcquire(address) : ofAll;
        refusal = own.IsAcquired ? null : _refuse(address, !ofAll.IsAcquired);
        if (refusal is null)
        {
            return new Place(ofAll, own);
        }

        ofAll.Dispose();
        return null;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _all.Dispose();
        _each.Dispose();
    }

    private static PartitionedRateLimiter<IPAddress> Limiter(Func<IPAddress, IPAddress> keyOf, Func<IPAddress, int> mostOf) =>
        PartitionedRateLimiter.Create<IPAddress, IPAddress>(address => RateLimitPartition.GetConcurrencyLimiter(
            keyOf(address), key => new ConcurrencyLimiterOptions { PermitLimit = Math.Max(1, mostOf(key)) }));

    private sealed class Place(RateLimitLease ofAll, RateLimitLease own) : IDisposable
    {
        public void Dispose()
        {
            own.Dispose();
            ofAll.Dispose();
        }
    }
}
