using System.Net;
using System.Net.Sockets;

namespace Sc2Bridge.Admission;

/// <summary>What counts as one address.</summary>
public static class ClientAddress
{
    // A host on IPv6 chooses the lower half of its address itself.
    private const int NetworkBytes = 8;

    /// <summary>Whom a client is counted for; one on a socket's file, which has no address, is of this machine.</summary>
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

        // The neighbours on one link are one network, and those on another link another.
        return new IPAddress(bytes, remote.ScopeId);
    }
}
