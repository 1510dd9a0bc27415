using System.Net;
using Sc2Bridge.Admission;
using Sc2Bridge.Server;

namespace Sc2Bridge.Cli;

/// <summary>A server's address as a client writes it.</summary>
internal static class ServerUrl
{
    /// <summary>gRPC's.</summary>
    /// <param name="bound">Where it listens.</param>
    /// <param name="tls">Its certificate; null: no TLS.</param>
    /// <param name="near">Whether the client runs on this machine.</param>
    internal static string Grpc(string bound, Tls? tls, bool near) =>
        bound.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal)
            ? $"{(tls is null ? "grpc" : "grpcs")}+{bound}"
            : $"{(tls is null ? "grpc" : "grpcs")}://{Reachable(bound, near)}";

    /// <summary>The WebSocket's.</summary>
    /// <param name="bound">Where it listens.</param>
    /// <param name="tls">Its certificate; null: no TLS.</param>
    /// <param name="near">Whether the client runs on this machine.</param>
    internal static string Web(string bound, Tls? tls, bool near) =>
        $"{(tls is null ? "ws" : "wss")}://{Reachable(bound, near)}/v1";

    /// <summary>The live page's; null where no browser can reach it.</summary>
    /// <param name="bound">Where the WebSocket listens.</param>
    /// <param name="tls">Its certificate; null: no TLS.</param>
    /// <param name="near">Whether the browser runs on this machine.</param>
    internal static string? Page(string bound, Tls? tls, bool near) =>
        bound.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal)
            ? null
            : $"{(tls is null ? "http" : "https")}://{Reachable(bound, near)}/";

    // Nobody connects to "every address".
    private static string Reachable(string bound, bool near)
    {
        if (bound.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal)
            || BridgeAddress.Parse(bound).EndPoint is not IPEndPoint listening
            || !(listening.Address.Equals(IPAddress.Any) || listening.Address.Equals(IPAddress.IPv6Any)))
        {
            return bound;
        }

        var host = near
            ? listening.Address.Equals(IPAddress.Any) ? IPAddress.Loopback : IPAddress.IPv6Loopback
            : MachineAddresses.Find() is [var first, ..] ? first : IPAddress.Loopback;
        return $"{new IPEndPoint(host, listening.Port)}";
    }
}
