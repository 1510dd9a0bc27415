using System.Net;
using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Server;

/// <summary>
/// Says which web pages may connect. A browser lets any page open a WebSocket to any host and only names the page's
/// origin (RFC 6455, 10.2), so that without this check a page from anywhere could read a match on the visitor's machine.
/// </summary>
internal static class OriginCheck
{
    /// <summary>Null where the client may connect, else the reason in one line.</summary>
    /// <param name="origin">The <c>Origin</c> header; null or empty where there is none.</param>
    /// <param name="host">The <c>Host</c> header.</param>
    /// <param name="local">The address that the client connected to; null on a Unix socket.</param>
    /// <param name="allowed">As <see cref="BridgeServerOptions.AllowedOrigins"/>.</param>
    public static string? Refusal(string? origin, HostString host, IPAddress? local, IReadOnlyList<string> allowed)
    {
        if (string.IsNullOrEmpty(origin))
        {
            return null;
        }

        foreach (var one in allowed)
        {
            if (one == "*" || string.Equals(one.TrimEnd('/'), origin, StringComparison.OrdinalIgnoreCase))
            {
                return null;
            }
        }

        if (Uri.TryCreate(origin, UriKind.Absolute, out var page) && page.Host.Length > 0)
        {
            var hostIsLoopback = IsLoopback(host.Host);
            if (hostIsLoopback && IsLoopback(page.Host))
            {
                return null;
            }

            // A foreign name that resolves to this machine (DNS rebinding) is "the same host" to the browser: a client
            // on the loopback address must name that address as its host.
            var rebound = local is not null && IPAddress.IsLoopback(local) && !hostIsLoopback;
            var samePort = (host.Port ?? (page.Scheme == Uri.UriSchemeHttps ? 443 : 80)) == page.Port;
            if (!rebound && samePort && string.Equals(page.Host, host.Host, StringComparison.OrdinalIgnoreCase))
            {
                return null;
            }
        }

        return $"Pages of {Shown(origin)} may not connect to {Shown(host.Value ?? "this host")}; "
            + "add that origin to the option AllowedOrigins to let them.";
    }

    private static bool IsLoopback(string host) =>
        string.Equals(host, "localhost", StringComparison.OrdinalIgnoreCase)
        || host.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host.Trim('[', ']'), out var address) && IPAddress.IsLoopback(address));

    // The headers are the client's: the answer repeats no control characters and no long texts of them.
    private static string Shown(string text) =>
        new([.. text.Where(character => character is > ' ' and < '\x7f').Take(120)]);
}
