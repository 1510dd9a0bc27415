using System.Net;
using System.Threading.RateLimiting;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>Counts connections, requests or subscriptions, in total and for each address. Thread-safe.</summary>
internal sealed class ClientCount : IDisposable
{
    private readonly PartitionedRateLimiter<IPAddress> _total;
    private readonly PartitionedRateLimiter<IPAddress> _perAddress;
    private readonly Func<IPAddress, bool, Refusal> _refuse;

    /// <param name="what">What is counted, in the plural.</param>
    /// <param name="flag">The name of the limit's option, without <c>--max-</c>.</param>
    /// <param name="most">The limit in total.</param>
    /// <param name="mostPerAddress">
    /// The limit for one address. If null, this machine has the whole limit, and every other address has half of it.
    /// </param>
    public ClientCount(string what, string flag, int most, int? mostPerAddress)
    {
        int MostOf(IPAddress address) => mostPerAddress ?? (IPAddress.IsLoopback(address) ? most : most / 2);
        _total = Limiter(_ => IPAddress.Any, _ => most);
        _perAddress = Limiter(address => address, MostOf);
        _refuse = (address, isFull) => isFull
            ? new(what, $"The bridge has reached its limit for {what}: {most}. Close some, or start it with a higher --max-{flag}")
            : new(
                $"{what}-per-address",
                $"{address} has reached its limit for {what}: {MostOf(address)}. Close some, or raise max-{flag}-per-address");
    }

    /// <summary>Counts one more connection, request or subscription.</summary>
    /// <param name="address">The client's address.</param>
    /// <param name="refusal">Why the client is refused; null if it is allowed.</param>
    /// <returns>An object that lowers the count again when the caller disposes it. Null if the client is refused.</returns>
    public IDisposable? TryEnter(IPAddress address, out Refusal? refusal)
    {
        // A chained limiter would not report which of the two limits was reached.
        var total = _total.AttemptAcquire(address);
        var perAddress = total.IsAcquired ? _perAddress.AttemptAcquire(address) : total;
        refusal = perAddress.IsAcquired ? null : _refuse(address, !total.IsAcquired);
        if (refusal is null)
        {
            return new Place(total, perAddress);
        }

        total.Dispose();
        return null;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _total.Dispose();
        _perAddress.Dispose();
    }

    private static PartitionedRateLimiter<IPAddress> Limiter(Func<IPAddress, IPAddress> keyOf, Func<IPAddress, int> mostOf) =>
        PartitionedRateLimiter.Create<IPAddress, IPAddress>(address => RateLimitPartition.GetConcurrencyLimiter(
            keyOf(address), key => new ConcurrencyLimiterOptions { PermitLimit = Math.Max(1, mostOf(key)) }));

    private sealed class Place(RateLimitLease total, RateLimitLease perAddress) : IDisposable
    {
        public void Dispose()
        {
            perAddress.Dispose();
            total.Dispose();
        }
    }
}
