using System.Net;
using System.Net.Sockets;

namespace Sc2Bridge.Admission;

/// <summary>Determines the address under which a client is counted.</summary>
public static class ClientAddress
{
    // A host on IPv6 chooses the lower half of its address itself, so clients are counted by the upper half only.
    private const int NetworkBytes = 8;

    /// <summary>The counted address of a client. A client on a Unix socket has no address: it counts as this machine.</summary>
    public static IPAddress Of(IPAddress? remote)
    {
        if (remote is null || IPAddress.IsLoopback(remote))
        {
            return IPAddress.Loopback;
        }

        if (remote.IsIPv4MappedToIPv6)
        {
            return Of(remote.MapToIPv4());
        }

        if (remote.AddressFamily != AddressFamily.InterNetworkV6)
        {
            return remote;
        }

        Span<byte> bytes = stackalloc byte[2 * NetworkBytes];
        remote.TryWriteBytes(bytes, out _);
        bytes[NetworkBytes..].Clear();

        // The scope id of the link stays in the address, because the same upper half on another link is another network.
        return new IPAddress(bytes, remote.ScopeId);
    }
}
