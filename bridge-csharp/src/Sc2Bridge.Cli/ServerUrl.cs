using System.Net;
using Sc2Bridge.Admission;
using Sc2Bridge.Server;

namespace Sc2Bridge.Cli;

/// <summary>Makes the addresses that clients use to connect to the servers.</summary>
internal static class ServerUrl
{
    /// <summary>The address of the gRPC server.</summary>
    /// <param name="bound">The address that the server listens on.</param>
    /// <param name="tls">The TLS certificate of the server; null for no TLS.</param>
    /// <param name="isSameMachine">Whether the client runs on this machine.</param>
    internal static string Grpc(string bound, Tls? tls, bool isSameMachine) =>
        bound.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal)
            ? $"{(tls is null ? "grpc" : "grpcs")}+{bound}"
            : $"{(tls is null ? "grpc" : "grpcs")}://{Reachable(bound, isSameMachine)}";

    /// <summary>The address of the WebSocket server.</summary>
    /// <param name="bound">The address that the server listens on.</param>
    /// <param name="tls">The TLS certificate of the server; null for no TLS.</param>
    /// <param name="isSameMachine">Whether the client runs on this machine.</param>
    internal static string Web(string bound, Tls? tls, bool isSameMachine) =>
        $"{(tls is null ? "ws" : "wss")}://{Reachable(bound, isSameMachine)}/v1";

    /// <summary>The address of the live page; null if no browser can reach it.</summary>
    /// <param name="bound">The address that the WebSocket server listens on.</param>
    /// <param name="tls">The TLS certificate of the server; null for no TLS.</param>
    /// <param name="isSameMachine">Whether the browser runs on this machine.</param>
    internal static string? Page(string bound, Tls? tls, bool isSameMachine) =>
        bound.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal)
            ? null
            : $"{(tls is null ? "http" : "https")}://{Reachable(bound, isSameMachine)}/";

    // A client cannot connect to the wildcard address.
    private static string Reachable(string bound, bool isSameMachine)
    {
        if (bound.StartsWith(BridgeAddress.UnixScheme, StringComparison.Ordinal)
            || BridgeAddress.Parse(bound).EndPoint is not IPEndPoint listening
            || !(listening.Address.Equals(IPAddress.Any) || listening.Address.Equals(IPAddress.IPv6Any)))
        {
            return bound;
        }

        var host = isSameMachine
            ? listening.Address.Equals(IPAddress.Any) ? IPAddress.Loopback : IPAddress.IPv6Loopback
            : MachineAddresses.Find() is [var first, ..] ? first : IPAddress.Loopback;
        return $"{new IPEndPoint(host, listening.Port)}";
    }
}
