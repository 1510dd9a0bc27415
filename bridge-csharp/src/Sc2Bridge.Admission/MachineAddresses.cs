using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace Sc2Bridge.Admission;

/// <summary>Finds the addresses at which other machines may reach this machine.</summary>
public static class MachineAddresses
{
    /// <summary>The addresses of links that are up, without loopback and link-local addresses; IPv4 first.</summary>
    public static IReadOnlyList<IPAddress> Find()
    {
        try
        {
            return
            [
                .. NetworkInterface.GetAllNetworkInterfaces()
                    .Where(link => link.OperationalStatus != OperationalStatus.Down)
                    .SelectMany(link => link.GetIPProperties().UnicastAddresses, (_, unicast) => unicast.Address)
                    .Where(address => !IPAddress.IsLoopback(address) && !address.IsIPv6LinkLocal)
                    .OrderBy(address => address.AddressFamily != AddressFamily.InterNetwork),
            ];
        }
        catch (NetworkInformationException)
        {
            // A sandbox may forbid the query.
            return [];
        }
    }
}
