using System.Net;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// The host names and web pages that may call this server. A browser lets any page open a WebSocket to any host, and leaves
/// the check of the page's origin to the server (RFC 6455, 10.2). Without this check, a page from anywhere could read a match, or play it, on the
/// visitor's machine. With DNS rebinding, a foreign name resolves to this machine, and the browser regards
/// this server as the host of the foreign page. So only known names of this machine are allowed.
/// </summary>
/// <param name="hosts">Additional host names, without ports; <c>*</c> allows any name.</param>
/// <param name="origins">Origins of other pages that may connect; <c>*</c> allows any origin.</param>
/// <param name="localPages">Whether a page from any port of this machine may connect to this machine.</param>
public sealed class AllowedHosts(IEnumerable<string> hosts, IEnumerable<string> origins, bool localPages)
{
    private readonly HashSet<string> _hosts =
        [.. hosts.Append(Dns.GetHostName()).Select(host => host.Trim('[', ']').ToUpperInvariant())];

    private readonly HashSet<string> _origins = [.. origins.Select(origin => origin.TrimEnd('/').ToUpperInvariant())];

    /// <summary>Why a request is refused; null if it is allowed.</summary>
    /// <param name="request">The request.</param>
    /// <param name="isSocketFile">Whether the request came over a Unix socket, which no page can reach.</param>
    public Refusal? Check(HttpRequest request, bool isSocketFile)
    {
        ArgumentNullException.ThrowIfNull(request);
        return isSocketFile ? null : Check(request.Host, request.Headers.Origin);
    }

    /// <summary>Checks the Host and Origin headers of a request.</summary>
    internal Refusal? Check(HostString host, string? origin)
    {
        if (!IsKnown(host.Host))
        {
            return new(
                "host", $"This server is not known as {Printable(host.Value)}: use its address, or allow the name with --allow-host.");
        }

        return string.IsNullOrEmpty(origin) || IsAllowed(origin, host) ? null : new(
            "origin",
            $"Pages of {Printable(origin)} may not connect to {Printable(host.Value)}: add that origin with --allow-origin to let them.");
    }

    // A request without a host is allowed: it comes from an old client, because a browser always sends a host.
    private bool IsKnown(string host) =>
        host.Length == 0 || IsLoopback(host) || IPAddress.TryParse(host.Trim('[', ']'), out _)
        || _hosts.Contains("*") || _hosts.Contains(host.ToUpperInvariant());

    private bool IsAllowed(string origin, HostString host)
    {
        if (_origins.Contains("*") || _origins.Contains(origin.ToUpperInvariant()))
        {
            return true;
        }

        if (!Uri.TryCreate(origin, UriKind.Absolute, out var page) || page.Host.Length == 0)
        {
            return false;
        }

        var samePort = (host.Port ?? (page.Scheme == Uri.UriSchemeHttps ? 443 : 80)) == page.Port;
        return (localPages && IsLoopback(host.Host) && IsLoopback(page.Host))
            || (samePort && string.Equals(page.Host, host.Host, StringComparison.OrdinalIgnoreCase));
    }

    private static bool IsLoopback(string host) =>
        string.Equals(host, "localhost", StringComparison.OrdinalIgnoreCase)
        || host.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host.Trim('[', ']'), out var address) && IPAddress.IsLoopback(address));

    // The client chooses these headers. An answer repeats only printable ASCII characters, and at most 120.
    private static string Printable(string? text) =>
        new([.. (text ?? "").Where(character => character is > ' ' and < '\x7f').Take(120)]);
}
