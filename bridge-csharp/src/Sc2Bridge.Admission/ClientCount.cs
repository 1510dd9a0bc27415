using System.Net;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>Counts something of all clients and of each address, in constant time. Thread-safe.</summary>
/// <param name="what">In the plural.</param>
/// <param name="flag">The limit's, without <c>--max-</c>.</param>
/// <param name="most">The most in total.</param>
/// <param name="mostPerAddress">The most of one address; null: all for this machine, half for others.</param>
internal sealed class ClientCount(string what, string flag, int most, int? mostPerAddress)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<IPAddress, int> _byAddress = [];
    private int _count;

    /// <summary>Counts one more.</summary>
    /// <returns>Null where it may; else the refusal.</returns>
    public Refusal? Enter(IPAddress address)
    {
        var mostOfThis = mostPerAddress ?? (IPAddress.IsLoopback(address) ? most : most / 2);
        lock (_lock)
        {
            var ofThis = _byAddress.GetValueOrDefault(address);
            if (_count >= most)
            {
                return new(what, $"The bridge has its most {what}, {most} (--max-{flag})");
            }

            if (ofThis >= mostOfThis)
            {
                return new(
                    $"{what}-per-address",
                    $"{address} has the most {what} of one address, {mostOfThis} (--max-{flag}-per-address)");
            }

            _count++;
            _byAddress[address] = ofThis + 1;
            return null;
        }
    }

    /// <summary>One that was counted has ended.</summary>
    public void Leave(IPAddress address)
    {
        lock (_lock)
        {
            _count--;
            if (--_byAddress[address] == 0)
            {
                _byAddress.Remove(address);
            }
        }
    }
}
